/** What the stand-in remembers. Fields that agent-api.md shows carry its names; `userId` is the owner. */
import type { Tier } from './options';

export interface Owned {
  readonly id: string;
  readonly userId: string;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly session: string;
  tier: Tier;
  /** Changed by `setBalance` alone. */
  credits: number;
  /** Earlier balances, oldest first. */
  readonly balanceBefore: { credits: number; until: number }[];
}

export interface Token extends Owned {
  readonly label: string;
  readonly plaintext: string;
  readonly scopes: readonly ('read' | 'write')[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export type SurveyStatus = 'pending' | 'completed' | 'converted' | 'archived';

export interface Lead extends Owned {
  surveyStatus: SurveyStatus;
  readonly createdAt: string;
  updatedAt: string;
  readonly clientName: string;
  readonly businessName: string | null;
  readonly clientEmail: string | null;
  readonly clientPhone: string | null;
  readonly aiReadinessScore: number | null;
  /** Present when web research completed. */
  readonly compositeScore?: number;
  readonly webResearchStatus: string;
  readonly staticSlugId: string;
}

export interface Document {
  readonly id: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly fileSize: number;
  readonly storagePath: string;
  uploadStatus: 'pending' | 'uploaded';
  readonly createdAt: string;
}

export interface Project extends Owned {
  clientName: string;
  industry: string | null;
  companySize: string | null;
  description: string | null;
  currency: string;
  status: 'setup' | 'analysis' | 'interviews' | 'complete' | 'archived';
  readonly createdAt: string;
  updatedAt: string;
  readonly documents: Document[];
  readonly businessAnalysis: object[];
  hasAnalysis: boolean;
  hasInterviewAnalysis: boolean;
  lastActivity: { date: string; description: string };
  readonly analyses: Analysis[];
}

export interface Opportunity {
  readonly id: string;
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
  readonly impactScore: number;
  readonly effortScore: number;
}

export interface Analysis {
  readonly id: string;
  readonly projectId: string;
  status: 'running' | 'complete' | 'failed';
  readonly createdAt: string;
  finishedAt: string | null;
  opportunities: Opportunity[];
  risks: { id: string; title: string; description: string }[];
}

export interface Job extends Owned {
  readonly projectId: string;
  readonly analysis: Analysis;
  readonly createdAt: string;
}

export type CaptureStatus = 'pending' | 'processing' | 'processed' | 'needs_review' | 'failed';

export interface Capture extends Owned {
  readonly channel: string;
  readonly rawContent: string;
  status: CaptureStatus;
  readonly capturedAt: string;
  readonly createdAt: string;
  updatedAt: string;
  readonly projectId: string | null;
  readonly contentType: string;
  processedContent: string | null;
  processingResults: object | null;
  /** How often extraction has been started; an extraction that is not the newest has no effect. */
  attempts: number;
  items: { id: string; captureId: string; itemType: string; content: string; metadata: object; createdAt: string }[];
}

/** Records of which the document shows few fields or none: what is written is kept as it is. */
export interface Loose extends Owned {
  readonly createdAt: string;
  updatedAt: string;
  fields: Record<string, unknown>;
}

export interface AssessmentConfig extends Owned {
  name: string | null;
  readonly isTemplate: boolean;
  questionOrder: string[];
  hiddenQuestions: string[];
  scoringWeights: Record<string, number>;
  defaultQuestionOverrides: Record<string, unknown>;
  readonly createdAt: string;
  updatedAt: string;
}
