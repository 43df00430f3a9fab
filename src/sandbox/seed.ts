import type { Clock } from './clock';
import type { Settings } from './options';
import type { Random } from './random';
import type { Lead, Project, User } from './rows';
import type { Store } from './store';

const DAY_MS = 86_400_000;
const FIRST_NAMES = ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Élodie', 'Farid', 'Grace', 'Hana', 'Ivan', 'Joana'] as const;
const LAST_NAMES = [
  'Abel',
  'Berg',
  'Costa',
  'Dubois',
  'Evans',
  'Fischer',
  'Garcia',
  "O'Hara",
  'Ito',
  'Jensen',
] as const;
const PLACES = ['Harbour', 'Northern', 'Alpine', 'Delta', 'Sunrise', 'Old Town', 'Lakeside', 'Prime'] as const;
const TRADES = ['Logistics', 'Bakery', 'Dental', 'Motors', 'Foods & Sons', 'Legal', 'Textiles', 'Energy'] as const;
const FORMS = ['GmbH', 'Ltd', 'LLC', 'SARL', 'Inc.'] as const;
const CHANNELS = ['text_note', 'transcript', 'email', 'voice_note'] as const;
/** The default questions of a survey. */
export const QUESTIONS: readonly string[] = Array.from({ length: 25 }, (_, index) => `q${index + 1}`);

/** Fills the store: two users, their tokens, and the first user's data; the second user has a few rows of its own. */
export function seed(store: Store, settings: Settings, random: Random, clock: Clock): { owner: User; other: User } {
  const user = (name: string, session: string): User => {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    const row = {
      id: random.uuid(),
      name,
      email,
      session,
      tier: settings.tier,
      credits: settings.credits,
      balanceBefore: [],
    };
    store.users.set(row.id, row);
    return row;
  };
  const owner = user('Olga Owner', settings.session);
  const other = user('Otto Other', `${settings.session}-2`);
  const seeder = new Seeder(store, random, clock);
  seeder.account(owner, settings);
  seeder.account(other, { leads: 3, projects: 1, captures: 1 });
  return { owner, other };
}

/** Adds rows as they would have come about; the same draws from the same seed. */
export class Seeder {
  constructor(
    private readonly store: Store,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  account({ id: userId }: User, count: Pick<Settings, 'leads' | 'projects' | 'captures'>): void {
    const links = ['Website survey', 'Trade fair', 'Newsletter'].map((title, index) => {
      const slug = `${title.toLowerCase().replace(' ', '-')}-${index}`;
      return this.loose(userId, 'links', { slug, title, isActive: true }).id;
    });
    this.leads(userId, count.leads, links);
    const projects = Array.from({ length: count.projects }, () => this.project(userId, this.business()).id);
    for (let index = 0; index < count.captures; index++) this.capture(userId, projects[index % 2] ?? null, index);
    for (const type of ['client', 'pattern', 'preference'])
      this.loose(userId, 'memories', {
        type,
        subject: `A ${type}`,
        content: `What is known: ${type}`,
        confidence: 0.8,
      });
    this.loose(userId, 'contacts', { name: 'Carla Contact', email: 'carla@example.com', relationshipType: 'client' });
    this.loose(userId, 'insights', { title: 'Replies slow down on Fridays', isRead: false });
    this.loose(userId, 'suggestions', { title: 'Call the prospects of last week', status: 'open' });
    this.config(userId, true);
    this.config(userId, false);
  }

  /** @param links Survey links that the leads answered; by default those that the user has. */
  leads(userId: string, count: number, links = this.store.links.all(userId).map(({ id }) => id)): void {
    let business = this.business();
    for (let index = 0; index < count; index++) {
      // Now and then the same business answers twice: two projects of the same name later on.
      if (!this.random.chance(0.08)) business = this.business();
      this.store.leads.add(this.lead(userId, business, links[this.random.below(links.length)] ?? this.random.uuid()));
    }
  }

  private lead(userId: string, businessName: string, staticSlugId: string): Lead {
    const { random } = this;
    const clientName = `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
    const draw = random.next();
    const surveyStatus = draw < 0.75 ? 'completed' : draw < 0.87 ? 'pending' : draw < 0.92 ? 'converted' : 'archived';
    const researched = surveyStatus !== 'pending' && random.chance(0.4);
    // Whole seconds, so that some leads were created at the same time.
    const created = Math.floor((this.clock.wall() - random.next() * 180 * DAY_MS) / 1000) * 1000;
    return {
      id: random.uuid(),
      userId,
      surveyStatus,
      createdAt: new Date(created).toISOString(),
      updatedAt: new Date(created + random.below(DAY_MS / 24)).toISOString(),
      clientName,
      businessName: random.chance(0.03) ? null : businessName,
      clientEmail: random.chance(0.08) ? null : `contact.${random.below(100_000)}@example.com`,
      clientPhone: random.chance(0.3) ? null : `+1-555-01${String(random.below(100)).padStart(2, '0')}`,
      aiReadinessScore: surveyStatus === 'pending' ? null : Math.round(random.next() * 1000) / 10,
      ...(researched ? { compositeScore: Math.round(random.next() * 1000) / 10 } : {}),
      webResearchStatus: researched ? 'completed' : 'not_started',
      staticSlugId,
    };
  }

  private business(): string {
    const number = this.random.chance(0.5) ? ` ${this.random.below(500)}` : '';
    return `${this.random.pick(PLACES)} ${this.random.pick(TRADES)}${number} ${this.random.pick(FORMS)}`;
  }

  /** A new project in `setup`. */
  project(userId: string, clientName: string, fields: Partial<Project> = {}): Project {
    const at = this.clock.iso();
    return this.store.projects.add({
      id: this.random.uuid(),
      userId,
      clientName,
      industry: null,
      companySize: null,
      description: null,
      currency: 'USD',
      status: 'setup',
      createdAt: at,
      updatedAt: at,
      documents: [],
      businessAnalysis: [],
      hasAnalysis: false,
      hasInterviewAnalysis: false,
      lastActivity: { date: at, description: 'Project created' },
      analyses: [],
      ...fields,
    });
  }

  private capture(userId: string, projectId: string | null, index: number): void {
    const at = new Date(this.clock.wall() - (index + 1) * 3_600_000).toISOString();
    const rawContent = `Conversation ${index + 1}: the team wants fewer spreadsheets.`;
    this.store.captures.add({
      id: this.random.uuid(),
      userId,
      channel: CHANNELS[index % CHANNELS.length] ?? 'text_note',
      rawContent,
      status: 'processed',
      capturedAt: at,
      createdAt: at,
      updatedAt: at,
      projectId,
      contentType: 'text/plain',
      processedContent: rawContent,
      processingResults: { itemCount: 0 },
      attempts: 1,
      items: [],
    });
  }

  private config(userId: string, isTemplate: boolean): void {
    const at = this.clock.iso();
    this.store.configs.add({
      id: this.random.uuid(),
      userId,
      name: isTemplate ? 'Standard assessment' : null,
      isTemplate,
      questionOrder: [...QUESTIONS],
      hiddenQuestions: ['q24', 'q25'],
      scoringWeights: { q1: 2, q2: 5 },
      defaultQuestionOverrides: {},
      createdAt: at,
      updatedAt: at,
    });
  }

  loose(
    userId: string,
    kind: 'links' | 'memories' | 'contacts' | 'insights' | 'suggestions',
    fields: Record<string, unknown>,
  ) {
    const at = this.clock.iso();
    return this.store[kind].add({ id: this.random.uuid(), userId, createdAt: at, updatedAt: at, fields });
  }
}

/** An active token of the documented form: the reserved prefix and 32 random base62 characters. */
export function newToken(
  store: Store,
  random: Random,
  clock: Clock,
  user: User,
  form: { label: string; scopes: readonly ('read' | 'write')[]; expiresAt?: string | undefined },
) {
  return store.addToken({
    id: random.uuid(),
    userId: user.id,
    label: form.label,
    plaintext: `aky_${random.base62(32)}`,
    scopes: form.scopes,
    createdAt: clock.iso(),
    expiresAt: form.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
  });
}
