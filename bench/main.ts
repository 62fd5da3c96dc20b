import { benchCopies } from './delivery/copies.ts'
import { benchWebhooks } from './delivery/webhooks.ts'
import { benchResolving } from './imports/resolving.ts'
import { benchImports } from './imports/run.ts'
import { benchTranscriptions } from './speech/product.ts'
import { benchSpeech } from './speech/run.ts'

/**
 * `npm run bench [-- --long]`: figures beside the plainest thing that could do the same, in one run on one
 * machine. Ratios are what counts; nothing here fails a build.
 */
await benchResolving(console.log)
await benchImports(console.log)
await benchWebhooks(console.log)
await benchCopies(console.log)
await benchTranscriptions(console.log)
await benchSpeech(console.log, { long: process.argv.includes('--long') })
