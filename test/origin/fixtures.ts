import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sha256 } from '../digest.ts'
import type { Recipe } from './recipe.ts'
import { recipes } from './recipes.ts'

const run = promisify(execFile)

/** Where the test media lives, for tests that read it from disk. */
export const fixturesRoot = join(import.meta.dirname, '../../.haul/fixtures')
export const fixture = (name: string) => join(fixturesRoot, name)

/** Makes what is missing or was made by another recipe. Safe while other runs read or make the same. */
export async function makeFixtures(root = fixturesRoot): Promise<void> {
  const workshop = join(root, `.making-${process.pid}`)
  for (const recipe of recipes) {
    if (await isFresh(root, recipe)) continue
    await mkdir(workshop, { recursive: true })
    await make(root, workshop, recipe)
    await publish(root, workshop, recipe)
  }
  await rm(workshop, { recursive: true, force: true })
}

async function make(root: string, workshop: string, recipe: Recipe) {
  const isFolder = !recipe.makes.includes('.')
  if (isFolder) await mkdir(join(workshop, recipe.makes), { recursive: true })
  for (const [name, text] of Object.entries(recipe.files ?? {})) {
    await writeFile(join(workshop, recipe.makes, name), text)
  }
  if (recipe.headOf) {
    const whole = await readFile(join(root, recipe.headOf.file))
    await writeFile(join(workshop, recipe.makes), whole.subarray(0, whole.length * recipe.headOf.fraction))
  }
  if (!recipe.ffmpeg) return
  const args = recipe.ffmpeg.map((arg) => (arg.startsWith('@') ? join(root, arg.slice(1)) : arg))
  // Fixed dates and no encoder names: the same recipe gives the same bytes.
  const steady = ['-hide_banner', '-loglevel', 'error', '-y', '-fflags', '+bitexact', '-flags', '+bitexact']
  await run('ffmpeg', [...steady, ...args], { cwd: workshop, timeout: 60_000 })
}

/** A rename is what makes a result visible, so nobody ever reads half of one. */
async function publish(root: string, workshop: string, recipe: Recipe) {
  const target = join(root, recipe.makes)
  await rm(target, { recursive: true, force: true })
  await rename(join(workshop, recipe.makes), target).catch((error) => {
    const madeByAnother = ['EEXIST', 'ENOTEMPTY'].includes(error.code)
    if (!madeByAnother) throw error
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
