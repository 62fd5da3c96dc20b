/** What a job makes beside its media: words in each of the formats that are asked for, and other files. */
export const partKinds = ['captions', 'transcript', 'thumbnail', 'info', 'chapters'] as const
export type PartKind = (typeof partKinds)[number]

/**
 * The kinds that `files` may name. A new one needs a name in job-files.ts, an opener in worker/media/job-files.ts, and a
 * line in `partsOf` of worker/account/jobs/import-results.ts, which says whether the source has it.
 */
export const fileKinds = ['thumbnail', 'info', 'chapters'] as const satisfies readonly PartKind[]

/** The source has none, or the media has no sound or no speech. */
export const skipCodes = ['NOT_AT_SOURCE', 'NO_AUDIO', 'NO_SPEECH'] as const
export type SkipCode = (typeof skipCodes)[number]
