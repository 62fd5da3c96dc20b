/** The parameters of `POST /v2/transcript` and their types, from the published API description. */
const kinds: Record<string, 'string' | 'number' | 'boolean' | 'strings' | 'list' | 'object'> = {
  audio_url: 'string',
  audio_end_at: 'number',
  audio_start_from: 'number',
  auto_chapters: 'boolean',
  auto_highlights: 'boolean',
  boost_param: 'string',
  content_safety: 'boolean',
  content_safety_confidence: 'number',
  custom_spelling: 'list',
  custom_topics: 'boolean',
  disfluencies: 'boolean',
  domain: 'string',
  dual_channel: 'boolean',
  entity_detection: 'boolean',
  filter_profanity: 'boolean',
  format_text: 'boolean',
  iab_categories: 'boolean',
  keyterms_prompt: 'strings',
  keyterms_prompt_options: 'object',
  language_code: 'string',
  language_codes: 'strings',
  language_confidence_threshold: 'number',
  language_detection: 'boolean',
  language_detection_options: 'object',
  multichannel: 'boolean',
  prompt: 'string',
  punctuate: 'boolean',
  redact_pii: 'boolean',
  redact_pii_audio: 'boolean',
  redact_pii_audio_quality: 'string',
  redact_pii_policies: 'strings',
  redact_pii_return_unredacted: 'boolean',
  redact_pii_sub: 'string',
  remove_audio_tags: 'string',
  sentiment_analysis: 'boolean',
  speaker_labels: 'boolean',
  speaker_options: 'object',
  speakers_expected: 'number',
  speech_model: 'string',
  speech_models: 'strings',
  speech_threshold: 'number',
  speech_understanding: 'object',
  summarization: 'boolean',
  summary_model: 'string',
  summary_type: 'string',
  temperature: 'number',
  topics: 'strings',
  webhook_auth_header_name: 'string',
  webhook_auth_header_value: 'string',
  webhook_url: 'string',
  word_boost: 'strings',
}

const SCHEMA = 'Invalid endpoint schema, please refer to documentation for examples.'
const models = ['universal-3-5-pro', 'universal-3-pro', 'universal-2', 'slam-1', 'universal', 'best', 'nano']

/** The message of the 400, or null if the parameters are valid. */
export const wrongParameter = (parameters: Record<string, unknown>): string | null => {
  if (typeof parameters.audio_url !== 'string' || !URL.canParse(parameters.audio_url)) return SCHEMA
  for (const [name, value] of Object.entries(parameters)) {
    const kind = kinds[name]
    if (!kind || (value !== null && !fits(kind, value))) return SCHEMA
  }
  if (parameters.language_detection === true && parameters.language_code)
    return 'language_detection is not available when language_code is specified.'
  if (parameters.speech_model && parameters.speech_models)
    return 'speech_model and speech_models cannot be used together.'
  const {
    min_speakers_expected: min,
    max_speakers_expected: max,
    ...others
  } = (parameters.speaker_options ?? {}) as {
    min_speakers_expected?: number
    max_speakers_expected?: number
  }
  if (Object.keys(others).length > 0 || (min !== undefined && max !== undefined && min > max)) return SCHEMA
  const unknown = ((parameters.speech_models as string[] | undefined) ?? []).find((model) => !models.includes(model))
  if (unknown)
    return `"speech_models" must be a non-empty list containing one or more of: ${models.slice(0, 3).join(', ')}`
  if (parameters.language_code && !/^[a-z]{2,3}(_[a-z]{2})?$/.test(String(parameters.language_code)))
    return `The language_code '${String(parameters.language_code)}' is not supported.`
  return null
}

const fits = (kind: string, value: unknown): boolean => {
  if (kind === 'strings') return Array.isArray(value) && value.every((item) => typeof item === 'string')
  if (kind === 'list') return Array.isArray(value)
  if (kind === 'object') return typeof value === 'object' && !Array.isArray(value)
  return typeof value === kind
}
