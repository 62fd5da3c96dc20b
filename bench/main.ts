import { parseArgs } from 'node:util'
import { benchBatches } from './batches.ts'
import { benchCopies } from './bucket-copies.ts'
import { benchClips } from './clips.ts'
import { benchEnds } from './ends.ts'
import { benchFiles } from './files.ts'
import { benchFleet } from './fleet.ts'
import { benchCpu } from './imports/cpu.ts'
import { benchFourAtOnce } from './imports/four-at-once.ts'
import { benchResolving } from './imports/resolving.ts'
import { benchImports } from './imports/run.ts'
import { benchPages } from './pages/run.ts'
import { benchPolls } from './polls.ts'
import { benchSearch } from './search/run.ts'
import { benchSilence } from './silence/run.ts'
import { benchHearing } from './speech/hearing.ts'
import { benchModels } from './speech/models.ts'
import { benchSpeech } from './speech/recognition.ts'
import { benchSlices } from './speech/slices.ts'
import { benchSpeakers } from './speech/speakers.ts'
import { benchTranscriptions } from './speech/transcriptions.ts'
import { benchWaiting } from './waiting.ts'
import { benchWatches } from './watches.ts'

/**
 * `npm run bench [-- NAME… --runs N --hours N --long --seed N --models NAME,…]`: compares Haul with the simplest program that does the same, in one run on one
 * machine. Compare the ratios, because seconds depend on the machine. Nothing here fails a build.
 *
 * `--seed` and `--models` are of `silence` alone: other clips, and only these of the models.
 *
 * With HAUL_BEFORE, another checkout that `npm start` can start, the benches of starts and ends compare the two in turns.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ runs: { type: 'string' }, hours: { type: 'string' }, long: { type: 'boolean' } },
    ...{ seed: { type: 'string' }, models: { type: 'string' } },
  },
})
const { runs, hours, long = false, seed, models } = values
const options = { ...(runs && { runs: Number(runs) }), ...(hours && { hours: Number(hours) }), long }
const silence = { ...(seed && { seed: Number(seed) }), ...(models && { models: models.split(',') }) }

const benches: Record<string, () => Promise<void>> = {
  resolving: () => benchResolving(console.log),
  imports: () => benchImports(console.log),
  batches: () => benchBatches(console.log),
  cpu: () => benchCpu(console.log, options),
  memory: () => benchFourAtOnce(console.log),
  clips: () => benchClips(console.log),
  pages: () => benchPages(console.log, options),
  files: () => benchFiles(console.log, options),
  ends: () => benchEnds(console.log, options),
  fleet: () => benchFleet(console.log, options),
  polls: () => benchPolls(console.log),
  waiting: () => benchWaiting(console.log),
  watches: () => benchWatches(console.log),
  copies: () => benchCopies(console.log),
  silence: () => benchSilence(console.log, silence),
  search: () => benchSearch(console.log, options),
  transcriptions: () => benchTranscriptions(console.log, options),
  slices: () => benchSlices(console.log),
  hearing: () => benchHearing(console.log),
  speakers: () => benchSpeakers(console.log, options),
  speech: () => benchSpeech(console.log, options),
  models: () => benchModels(console.log, options),
}

const unknown = positionals.find((name) => !(name in benches))
if (unknown) throw new Error(`${unknown} is not a bench: ${Object.keys(benches).join(', ')}`)
for (const [name, run] of Object.entries(benches)) {
  if (positionals.length === 0 || positionals.includes(name)) await run()
}
