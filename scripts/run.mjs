import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInForeground } from './setup/command.mjs'
import {
  ensureImageTools,
  ensurePythonTools,
  setUpForClients,
  setUpForFurtherTests,
  setUpForTests,
} from './setup/for-tests.mjs'
import { packagesDir, pathWithPackages, pinnedNode, root } from './setup/paths.mjs'
import { setUp, setUpPackages, setUpWithAllModels } from './setup.mjs'

const commands = {
  start: { needs: [setUp], program: 'start/main.ts' },
  check: { needs: [setUp, ensurePythonTools], program: 'check/main.ts' },
  test: { needs: [setUpWithAllModels, setUpForTests], program: 'test/main.ts' },
  'test:all': {
    needs: [setUpWithAllModels, setUpForTests, setUpForFurtherTests],
    program: 'test/main.ts',
    args: ['--all'],
  },
  plant: { needs: [setUpWithAllModels, setUpForTests, setUpForFurtherTests], program: 'test/plant.ts' },
  'test:long': { needs: [setUpWithAllModels], program: 'test/long.ts' },
  'test:clients': { needs: [setUp, setUpForClients], program: 'test/clients.ts' },
  'test:image': { needs: [setUp, ensureImageTools], program: 'test/image.ts' },
  'test:compose': { needs: [setUp, ensureImageTools], program: '../test/compose/main.ts' },
  bench: { needs: [setUpWithAllModels], program: '../bench/main.ts' },
  simulate: { needs: [setUp], program: '../test/simulation/command/main.ts' },
  release: { needs: [setUpPackages], program: 'release/main.ts' },
  'release:record': { needs: [setUp], program: '../test/further/rules/releases/record.ts' },
  picture: { needs: [setUp], program: '../test/picture/main.ts' },
  example: { needs: [setUpPackages], program: 'example/main.ts' },
  deploy: { needs: [setUpPackages], program: 'deploy/main.ts' },
  rollback: { needs: [setUpPackages], program: 'deploy/rollback-main.ts' },
}

const runUnderPinnedNode = async (program) => {
  const path = join(root, 'scripts', program)
  process.env.PATH = pathWithPackages
  if (process.env.npm_lifecycle_event) stopWithParent()
  if (process.versions.node === pinnedVersion()) return import(pathToFileURL(path).href)
  // The IPC channel closes when we are killed, and the child then stops.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  process.exitCode = await runInForeground(pinnedNode, [path, ...process.argv.slice(2)], { stdio })
}

const pinnedVersion = () => JSON.parse(readFileSync(join(packagesDir, 'node', 'package.json'), 'utf8')).version

/** npm forwards signals, but we would outlive a killed npm. (`exec` in package.json makes npm our parent, not a shell.) */
const stopWithParent = () => {
  const parent = process.ppid
  const check = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM')
  setInterval(check, 1_000).unref()
}

try {
  const [name] = process.argv.splice(2, 1)
  const { needs, program, args = [] } = commands[name]
  process.argv.push(...args)
  await Promise.all(needs.map((install) => install(console.log)))
  await runUnderPinnedNode(program)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
