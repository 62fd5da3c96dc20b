import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sha256 } from '../../support/sha256.ts'
import type { Recipe } from './recipe.ts'
import { recipes } from './recipes.ts'

const run = promisify(execFile)

/** The folder of the test media. It is outside `.haul`, so removing the state of `npm start` does not remove it. */
export const fixturesRoot = join(import.meta.dirname, '../../../.tools/fixtures')
export const fixture = (name: string) => join(fixturesRoot, name)
/** In bytes. It differs between processors, because encoders do. */
export const sizeOfFixture = (name: string): number => statSync(fixture(name)).size

/** Generates files that are missing or whose recipe has changed. Safe while other runs read or generate them. */
export async function makeFixtures(root = fixturesRoot): Promise<void> {
  const staging = join(root, `.staging-${process.pid}`)
  const made = new Map<string, Promise<void>>()
  const lanes = Array.from({ length: availableParallelism() }, () => Promise.resolve())
  for (const [index, recipe] of recipes.entries()) {
    const lane = index % lanes.length
    const before = [lanes[lane], ...resultsUsedBy(recipe).map((name) => made.get(name))]
    const making = Promise.all(before).then(() => make(root, staging, recipe))
    made.set(recipe.makes, making)
    lanes[lane] = making
  }
  await Promise.all(made.values())
  await rm(staging, { recursive: true, force: true })
}

/** The earlier results that a recipe reads. */
const resultsUsedBy = ({ ffmpeg = [], headOf }: Recipe): string[] => [
  ...ffmpeg.flatMap((arg) => (arg.startsWith('@') ? [arg.slice(1)] : [])),
  ...(headOf ? [headOf.file] : []),
]

const make = async (root: string, staging: string, recipe: Recipe): Promise<void> => {
  if (await isFresh(root, recipe)) return
  await mkdir(staging, { recursive: true })
  await generate(root, staging, recipe)
  await publish(root, staging, recipe)
}

async function generate(root: string, staging: string, recipe: Recipe) {
  const isFolder = !recipe.makes.includes('.')
  if (isFolder) await mkdir(join(staging, recipe.makes), { recursive: true })
  for (const [name, text] of Object.entries(recipe.files ?? {})) {
    await writeFile(join(staging, recipe.makes, name), text)
  }
  if (recipe.headOf) {
    const whole = await readFile(join(root, recipe.headOf.file))
    await writeFile(join(staging, recipe.makes), whole.subarray(0, whole.length * recipe.headOf.fraction))
  }
  if (!recipe.ffmpeg) return
  const args = recipe.ffmpeg.map((arg) => (arg.startsWith('@') ? join(root, arg.slice(1)) : arg))
  // Without dates, encoder names and a thread for each core, the same recipe gives the same bytes.
  const bitexact = ['-hide_banner', '-loglevel', 'error', '-y', '-fflags', '+bitexact', '-flags', '+bitexact']
  const [output = ''] = args.slice(-1)
  const oneThread = ['-threads', '1']
  await run('ffmpeg', [...bitexact, ...args.slice(0, -1), ...oneThread, output], { cwd: staging, timeout: 60_000 })
}

/** Renaming is atomic, so no test reads an incomplete file. */
async function publish(root: string, staging: string, recipe: Recipe) {
  const target = join(root, recipe.makes)
  await rm(target, { recursive: true, force: true })
  await rename(join(staging, recipe.makes), target).catch((error) => {
    const existsAlready = ['EEXIST', 'ENOTEMPTY'].includes(error.code)
    if (!existsAlready) throw error
  })
  await mkdir(join(root, '.stamps'), { recursive: true })
  await writeFile(stampPath(root, recipe), stampOf(recipe))
}

async function isFresh(root: string, recipe: Recipe) {
  const stamp = await readFile(stampPath(root, recipe), 'utf8').catch(() => null)
  return stamp === stampOf(recipe)
}

const stampPath = (root: string, recipe: Recipe) => join(root, '.stamps', recipe.makes)
const stampOf = (recipe: Recipe) => sha256(JSON.stringify(recipe))
