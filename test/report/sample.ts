import { CATEGORIES } from '../../src/audits/categories';
import type { AuditReport } from '../../src/report';

const id = (number: number) => `5d0c6f3a-0000-4000-8000-${String(number).padStart(12, '0')}`;

type Row = [
  title: string,
  category: number,
  impact: number,
  effort: number,
  roi: string,
  timeline: string,
  text: string,
];

const ROWS: Row[] = [
  [
    'Route supplier invoices by purchase order',
    0,
    8,
    2,
    '4x within a year',
    '6 weeks',
    'Two clerks type 1,900 invoices a month into the ledger. Nine in ten match an open order and need nobody to look at them.',
  ],
  [
    'One intake form for repair requests',
    0,
    7,
    3,
    '3x within a year',
    '2 months',
    'Requests arrive by phone, e-mail and on paper. A shared form asks once for what the workshop asks for three times.',
  ],
  [
    'Reminders before a quote expires',
    0,
    7,
    3,
    '€60,000 a year',
    '3 weeks',
    'A third of all quotes lapse without a second contact.',
  ],
  [
    'Plan shifts from the order book',
    1,
    9,
    7,
    '5x in two years',
    '9 months',
    'Shifts are planned on Thursdays from memory; overtime follows on Tuesdays. The order book has known both for a week.',
  ],
  [
    'Predict spare parts for field visits',
    1,
    8,
    9,
    '2x in three years',
    '12 months',
    'One visit in four ends without a repair because a part is missing.',
  ],
  [
    'Answer delivery questions from the tracking data',
    1,
    9,
    6,
    '3x within a year',
    '5 months',
    'Forty calls a day ask where a delivery is. The answer is in a system that the callers cannot see.',
  ],
  [
    'Search across the product manuals',
    2,
    4,
    2,
    'Not measured',
    '4 weeks',
    'Technicians keep manuals on their own phones; some are years old.',
  ],
  ['Minutes of the weekly meeting', 2, 3, 1, 'Small', '1 week', 'Decisions are written down by whoever remembers to.'],
  [
    'Replace the stock-keeping system',
    3,
    5,
    10,
    'Negative before year four',
    '24 months',
    'The system is old and works. What hurts is the data in it, which would move along.',
  ],
  [
    'A chatbot on the website',
    3,
    2,
    6,
    'Unclear',
    '4 months',
    'Visitors look for opening hours, which are on the website.',
  ],
];

const opportunities = ROWS.map(
  ([title, , impactScore, effortScore, roiPotential, implementationTimeline, description], index) => ({
    id: id(index + 1),
    projectId: id(100),
    title,
    description,
    impactScore,
    effortScore,
    roiPotential,
    implementationTimeline,
    resourceRequirements:
      index % 3 === 0 ? 'One engineer for half of the time, the process owner for a day a week' : 'One process owner',
    implementationStrategy: 'Pilot with one team, compare after four weeks, then roll out.',
    riskMitigation: 'Keep the manual way for one month.',
    dependencies: index === 3 ? [id(2), 'Access to the order book'] : [],
    parallelExecution: index % 2 === 0,
  }),
);

/** An audit of an invented client, as the API would give it. */
export const sample: AuditReport = {
  project: {
    id: id(100),
    clientName: 'Nordlicht Pumps & Valves',
    industry: 'Mechanical engineering',
    companySize: '51–200 people',
  },
  analysis: {
    id: id(200),
    status: 'complete',
    createdAt: '2026-03-02T09:00:00.000Z',
    executiveSummary: 'Not shown: the deliverables have one.',
    opportunityCount: ROWS.length,
    riskCount: 3,
    synthesis: {
      auditType: 'operations',
      themes: ['Work is typed twice', 'Knowledge lives in heads', 'Plans follow memory'],
      maturity: { data: 3, process: 2, people: { skills: 4, capacity: 2 } },
    },
  },
  deliverables: {
    projectId: id(100),
    isComplete: true,
    generatedAt: '2026-03-02T11:30:00.000Z',
    executiveSummary:
      'Nordlicht loses about 1,400 hours a month to work that is done twice: typed from paper, asked for again, or planned from memory although a system knows better.\n\nThree changes pay for themselves within a quarter and need no new system: invoices routed by purchase order, one intake form for repairs, and reminders before quotes expire. They also bring the data that shift planning needs.\n\nReplacing the stock-keeping system, which most interviews began with, comes last.',
    opportunities,
    risks: [
      {
        id: 'r1',
        title: 'Nobody owns the data of the order book',
        description:
          'Three departments correct it; none decides. Planning by it would repeat their disagreements every week.',
      },
      {
        id: 'r2',
        title: 'The workshop has seen two projects end early',
        description: 'Expect doubt. A result within six weeks counts for more than a plan.',
      },
      { id: 'r3', title: 'One person knows the interfaces', description: 'She retires in fourteen months.' },
    ],
    stakeholderMemos: [
      {
        stakeholderName: 'Dana Holm',
        stakeholderRole: 'Operations',
        memo: 'Begin with the intake form: it takes the least from your team, and shift planning depends on it.\n\nWhat we need from you:\n  1. One foreman for a day a week\n  2. A decision on who owns the order book\n  3. Two weeks without changes to the form',
      },
      {
        stakeholderName: 'Sam O’Neil',
        stakeholderRole: 'Finance',
        memo: 'Invoices are the first result that you will see. Matching needs a tolerance that you set; we suggest 2% and at most €50.',
      },
    ],
  },
  opportunities,
  categories: Object.fromEntries(
    CATEGORIES.map((category, index) => [
      category,
      opportunities.filter((_, row) => ROWS[row]?.[1] === index).map((one) => one.id),
    ]),
  ),
};
