/** The groups of endpoints, in the order of the documentation. Generated clients make a class or a file of each. */
export const tags = {
  Imports: 'Download the media of a URL into storage, or into your own bucket.',
  Transcriptions: 'Turn a URL, an import or an upload into a transcript.',
  'OpenAI API': 'The transcription API of OpenAI, for programs that know it.',
  'Whisper ASR API': 'The API of whisper-asr-webservice, for programs that know it.',
  Batches: 'Import or transcribe many URLs, or every entry of a playlist.',
  Uploads: 'Send files of your own in parts, to transcribe them.',
  'Transcription providers': 'Keys for third-party speech recognition.',
  Metadata: 'Look at a source before importing it.',
  Jobs: 'Find, follow, cancel and remove jobs of both types.',
  Events: 'Everything that happens in the account, as a stream.',
  Account: 'Balance, prices, limits and the ledger.',
  Keys: 'API keys with scopes, budgets and origins.',
  Webhooks: 'The secret that signs webhooks, and their deliveries.',
  'Webhook events': 'What is sent to a `webhookUrl`.',
  Storage: 'Your own S3 bucket, for imports with `store`.',
  Operators: 'Accounts, engines and metrics, for whoever runs this deployment.',
  Media: 'The files that links in results point to.',
  MCP: 'The Model Context Protocol, for agents and editors.',
  Service: 'Whether the service responds.',
} as const

export type Tag = keyof typeof tags
