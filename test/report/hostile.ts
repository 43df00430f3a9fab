import { CATEGORIES } from '../../src/audits/categories';
import type { AuditReport } from '../../src/report';

/** Texts that would be markup somewhere. Each holds `marker`, so that a test can look for what became of it. */
export const ATTACKS = (marker: string): string[] => [
  `<script>document.title='${marker}'</script>`,
  `</style></title></svg></table><img src=http://evil.example/${marker} onerror=alert(1)>`,
  `"><svg onload=alert(1)>${marker}<!--`,
  `${marker} ]]> <![CDATA[ &lt;b&gt; &#60;i&#62; &amp;`,
  `javascript:alert('${marker}')`,
  `[${marker}](http://evil.example) ![${marker}](http://evil.example/x.png) [${marker}][1]`,
  `[1]: http://evil.example "${marker}"`,
  `<http://evil.example/${marker}> https://evil.example/${marker} www.evil.example/${marker} a.${marker}@evil.example`,
  `mailto:${marker}@evil.example xmpp:${marker}@evil.example evil.example/${marker} //evil.example/${marker}`,
  `| ${marker} | b |\n| --- | --- |\n| c | d |`,
  `${marker}\n:-\nx`,
  `# ${marker}\n\n## ${marker}\n> ${marker}\n- ${marker}\n+ ${marker}\n* ${marker}\n1. ${marker}\n2) ${marker}`,
  `${marker}\n===\n\n${marker}\n---\n\n***`,
  `    ${marker}\n\t${marker}\n\`\`\`js\n${marker}\n\`\`\`\n~~~\n${marker}`,
  `**${marker}** __${marker}__ *${marker}* _${marker}_ ~~${marker}~~ \`${marker}\` $${marker}$ {{ ${marker} }}`,
  `\`https://evil.example/${marker}\` \`\`https://evil.example/\`|\`${marker}`,
  `<details><summary>${marker}</summary>\r\rx\r\n\r\n</details>`,
  `[^1]: ${marker} [^1] - [x] ${marker} \\`,
  `${marker} \u0000\u0007\u001b[31m\u007f\u0085\u2028 \ud800 \udfff \ufffe \uffff`,
  `\u202e${marker}\u2066 שלום עולם مرحبا 👩‍👩‍👧‍👦 ${'é'.repeat(40)}`,
];

export const WORD = 'x'.repeat(10_000);
const long = 'A memo of one hundred kilobytes.\nWith lines.\n\nAnd paragraphs. '.repeat(1600);

/** Every text of the API hostile, and more of everything than fits. */
export function hostile(): AuditReport {
  const texts = ATTACKS('pwned');
  const text = (index: number) => texts[index % texts.length] ?? '';
  const opportunities = Array.from({ length: 500 }, (_, index) => ({
    id: `o-${index} "><i>`,
    title: index === 3 ? WORD : text(index),
    description: index === 4 ? WORD : text(index + 1),
    // Forty at one place, then all over the board, then such as have no place.
    impactScore: index < 40 ? 8 : index > 490 ? [0, 11, null, Number.NaN, -3][index % 5] : 1 + (index % 10),
    effortScore: index < 40 ? 3 : index > 495 ? undefined : 1 + ((index * 7) % 10),
    roiPotential: index === 5 ? WORD : text(index + 2),
    implementationTimeline: text(index + 3),
    resourceRequirements: { engineers: text(index + 4) },
    implementationStrategy: text(index + 5),
    riskMitigation: text(index + 6),
    dependencies: [text(index + 7), `o-${(index + 1) % 500} "><i>`, 7],
    parallelExecution: text(index + 8),
  }));
  return {
    project: { id: text(0), clientName: texts.join(' '), industry: text(1), companySize: text(2) },
    analysis: {
      id: text(3),
      status: text(4),
      opportunityCount: 3,
      riskCount: 0,
      synthesis: { [text(0)]: texts, [WORD]: { deep: nested(400), wide: { ...texts } } },
    },
    deliverables: {
      executiveSummary: texts.join('\n\n'),
      generatedAt: text(5),
      isComplete: false,
      risks: texts.map((description, index) => ({ id: text(index), title: text(index + 1), description })),
      stakeholderMemos: [
        ...texts.map((memo, index) => ({ stakeholderName: text(index + 1), stakeholderRole: text(index + 2), memo })),
        { stakeholderName: WORD, stakeholderRole: WORD, memo: WORD },
        { stakeholderName: 'Long', stakeholderRole: 'Reader', memo: long },
      ],
    },
    opportunities,
    categories: Object.fromEntries(
      CATEGORIES.map((category, index) => [
        category,
        opportunities.filter((_, number) => number % 5 === index).map(({ id }) => id),
      ]),
    ),
  };
}

const nested = (depth: number): unknown => (depth === 0 ? 'deep' : { inner: [nested(depth - 1)] });
