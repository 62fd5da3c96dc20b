import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createEgress } from '../../container/egress/egress.ts'
import { createGuard } from '../../container/egress/guard.ts'
import { createExtractor } from '../../container/source/extractor/extractor.ts'
import { venvPython } from '../../scripts/start/environment.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { medianOf } from '../timing.ts'

const RUNS = 9

/** Resolves a page with our warm process, compared with the yt-dlp command. */
export const benchResolving = async (print: (line: string) => void): Promise<void> => {
  const origin = await startOrigin()
  const page = `${origin.url}/page/video.html`
  const extractor = createExtractor({ python: venvPython })
  const guard = createGuard({ allow: origin.host, lookup: async () => [] })
  const warm = async (): Promise<void> => {
    const egress = createEgress({ guard })
    await extractor.extract(page, egress, AbortSignal.timeout(30_000))
    await egress.close()
  }
  try {
    await warm()
    const ours = await medianOf(RUNS, warm)
    const command = join(dirname(venvPython), 'yt-dlp')
    const theirs = await medianOf(RUNS, () => promisify(execFile)(command, ['-J', '--ignore-config', page]))
    const ratio = (ours / theirs).toFixed(2)
    print(`Resolving a page: ${ours.toFixed(3)} s, yt-dlp -J ${theirs.toFixed(3)} s, ratio ${ratio} (goal 0.25)`)
  } finally {
    await extractor.close()
    await origin.close()
  }
}
