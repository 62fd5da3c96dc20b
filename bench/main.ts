import { benchCopies } from './bucket-copies.ts'
import { benchResolving } from './imports/resolving.ts'
import { benchImports } from './imports/run.ts'
import { benchSpeech } from './speech/recognition.ts'
import { benchTranscriptions } from './speech/transcriptions.ts'
import { benchWebhooks } from './webhooks.ts'

/**
 * `npm run bench [-- --long]`: compares Haul with the simplest program that does the same, in one run on one machine.
 * Compare the ratios, because seconds depend on the machine. Nothing here fails a build.
 */
await benchResolving(console.log)
await benchImports(console.log)
await benchWebhooks(console.log)
await benchCopies(console.log)
await benchTranscriptions(console.log)
await benchSpeech(console.log, { long: process.argv.includes('--long') })
