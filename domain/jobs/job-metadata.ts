/** What the caller notes on a job or a batch. It is no part of what makes two requests the same. */
export type JobMetadata = Record<string, string>

export const MAX_METADATA_KEYS = 20
export const MAX_METADATA_CHARACTERS = 500

/** A regular expression, without anchors. `__proto__` would be no key of its own in a copied object. */
export const METADATA_KEY = '(?!__proto__$)[A-Za-z0-9_.-]{1,40}'
const key = new RegExp(`^${METADATA_KEY}$`)
export const isMetadataKey = (text: string): boolean => key.test(text)

/** `path`: the key that is wrong. Empty: the whole is. */
interface MetadataProblem {
  path: string[]
  message: string
}

export const metadataProblems = (value: unknown): MetadataProblem[] => {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [{ path: [], message: 'must be an object of strings' }]
  const entries = Object.entries(value)
  if (entries.length > MAX_METADATA_KEYS) return [{ path: [], message: `must have at most ${MAX_METADATA_KEYS} keys` }]
  return entries.flatMap(([key, text]) => {
    const message = problemOf(key, text)
    return message === null ? [] : [{ path: [key], message }]
  })
}

const problemOf = (key: string, text: unknown): string | null => {
  if (!isMetadataKey(key)) return 'is not a key: 1 to 40 letters, digits, _, . and -'
  if (typeof text !== 'string') return 'must be a string'
  return text.length > MAX_METADATA_CHARACTERS ? `must have at most ${MAX_METADATA_CHARACTERS} characters` : null
}

export const metadataField = (metadata: JobMetadata | undefined): { metadata?: JobMetadata } =>
  metadata && Object.keys(metadata).length > 0 ? { metadata } : {}
