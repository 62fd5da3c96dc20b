import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scoreOf } from '../../test/clients/score.ts'
import { runInForeground } from '../setup/command.mjs'
import { withStaging } from '../setup/install.mjs'
import { compileCache, root } from '../start/environment.ts'

/** Runs every program of test/clients/clients.ts against the product, and says how many work. */
await withStaging(tmpdir(), async (folder) => {
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'clients', ...reporters]
  process.exitCode = await runInForeground(process.execPath, [...vitest, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, ...compileCache },
  })
  const report = await readFile(reportFile, 'utf8').then(JSON.parse, () => ({ testResults: [] }))
  for (const line of scoreOf(report, JSON.parse(process.env.HAUL_CLIENTS ?? '{}'))) console.log(line)
})
