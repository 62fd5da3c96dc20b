import { benchBatches } from './batches.ts'
import { benchCopies } from './bucket-copies.ts'
import { benchClips } from './clips.ts'
import { benchFleet } from './fleet.ts'
import { benchCpu } from './imports/cpu.ts'
import { benchFourAtOnce } from './imports/four-at-once.ts'
import { benchResolving } from './imports/resolving.ts'
import { benchImports } from './imports/run.ts'
import { benchPolls } from './polls.ts'
import { benchHearing } from './speech/hearing.ts'
import { benchSpeech } from './speech/recognition.ts'
import { benchSlices } from './speech/slices.ts'
import { benchSpeakers } from './speech/speakers.ts'
import { benchTranscriptions } from './speech/transcriptions.ts'
import { benchWaiting } from './waiting.ts'
import { benchWebhooks } from './webhooks.ts'

/**
 * `npm run bench [-- NAME… --long]`: compares Haul with the simplest program that does the same, in one run on one
 * machine. Compare the ratios, because seconds depend on the machine. Nothing here fails a build.
 */
const benches: Record<string, () => Promise<void>> = {
  resolving: () => benchResolving(console.log),
  imports: () => benchImports(console.log),
  batches: () => benchBatches(console.log),
  cpu: () => benchCpu(console.log),
  memory: () => benchFourAtOnce(console.log),
  clips: () => benchClips(console.log),
  fleet: () => benchFleet(console.log),
  polls: () => benchPolls(console.log),
  waiting: () => benchWaiting(console.log),
  webhooks: () => benchWebhooks(console.log),
  copies: () => benchCopies(console.log),
  transcriptions: () => benchTranscriptions(console.log),
  slices: () => benchSlices(console.log),
  hearing: () => benchHearing(console.log),
  speakers: () => benchSpeakers(console.log, { long: process.argv.includes('--long') }),
  speech: () => benchSpeech(console.log, { long: process.argv.includes('--long') }),
}

const chosen = process.argv.slice(2).filter((argument) => argument in benches)
for (const [name, run] of Object.entries(benches)) {
  if (chosen.length === 0 || chosen.includes(name)) await run()
}
