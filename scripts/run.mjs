import { ensureImageTools, setUpForTests } from './setup/for-tests.mjs'
import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp, setUpPackages } from './setup.mjs'

/**
 * Runs a command of package.json: installs what it needs and is missing, on Node 20 or newer, and then runs its program
 * under the Node that package.json pins.
 */
const commands = {
  start: { needs: [setUp], program: 'start/main.ts' },
  check: { needs: [setUp], program: 'check/main.ts' },
  test: { needs: [setUp, setUpForTests], program: 'test/main.ts' },
  'test:long': { needs: [setUp], program: 'test/long.ts' },
  'test:image': { needs: [setUp, ensureImageTools], program: 'image/main.ts' },
  'test:compose': { needs: [setUp, ensureImageTools], program: 'compose/main.ts' },
  bench: { needs: [setUp], program: '../bench/main.ts' },
  simulate: { needs: [setUp], program: '../test/simulation/command/main.ts' },
  picture: { needs: [setUp], program: 'picture/main.ts' },
  example: { needs: [setUpPackages], program: 'example/main.ts' },
  deploy: { needs: [setUpPackages], program: 'deploy/main.ts' },
  rollback: { needs: [setUpPackages], program: 'deploy/rollback-main.ts' },
}

try {
  const [name] = process.argv.splice(2, 1)
  const { needs, program } = commands[name]
  await Promise.all(needs.map((install) => install(console.log)))
  await runUnderPinnedNode(program)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
