import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installFfmpeg } from './ffmpeg.mjs'
import { ensureClient } from './setup/client.mjs'
import { run } from './setup/command.mjs'
import { withLock } from './setup/install.mjs'
import { packagesDir, pathWithoutPackages, pinnedNode, root, toolsDir, venvPython } from './setup/paths.mjs'
import { ensurePython } from './setup/python.mjs'
import { ensureBubblewrap, ensureFfmpeg } from './setup/system.mjs'
import { ensureWhatIsServed } from './speech.mjs'

/**
 * Installs what is missing, in milliseconds if nothing is. Runs on Node 20 or newer, before any package is installed.
 *
 * @param {(line: string) => void} log
 * @param {string} [models] those of the speech engine, instead of SPEECH_MODEL
 */
export const setUp = (log, models) => {
  if (!existsSync(toolsDir))
    log('The first run in a checkout installs npm packages, yt-dlp, FFmpeg and the speech engine: a minute or two.')
  return withLock(join(toolsDir, 'setup.lock'), log, () => {
    const systemFfmpeg = ensureFfmpeg(log)
    const python = ensurePython(log)
    return settleAll([
      setUpPackages(log),
      systemFfmpeg,
      ensureBubblewrap(log),
      // Our own FFmpeg loads libraries that come with the system's.
      Promise.all([python, systemFfmpeg]).then(() => setUpFfmpeg(log)),
      python.then(() => setUpSpeech(log, models)),
    ])
  })
}

/** The tests use each model that can be installed. */
export const setUpWithAllModels = (log) => setUp(log, 'both')

/** Commands that process no media need only npm packages. */
export const setUpPackages = (log) => ensurePackages(log).then(() => ensureClient(log))

const ensurePackages = async (log) => {
  if (await arePackagesReady()) return
  log('Installing npm packages')
  // --include=dev, because NODE_ENV=production would leave out wrangler and Node itself.
  const env = { ...process.env, PATH: pathWithoutPackages }
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', args, { cwd: root, env }).catch((error) => {
    // npm appends its usage to every error.
    throw new Error(error.message.split('\nnpm error\nnpm error Clean install')[0])
  })
  if (!existsSync(pinnedNode))
    throw new Error('The npm package `node` has no program: allow its install script and run the command again.')
}

/** npm writes the packages that it has installed into .package-lock.json. */
const arePackagesReady = async () => {
  const [locked, installed] = await Promise.all([
    packagesOf(join(root, 'package-lock.json')),
    packagesOf(join(packagesDir, '.package-lock.json')),
  ])
  return existsSync(pinnedNode) && isInstalled(locked, installed)
}

const packagesOf = async (lockfile) => {
  const text = await readFile(lockfile, 'utf8').catch(() => '{}')
  return JSON.parse(text).packages ?? {}
}

/** Optional packages of other systems may be missing, but must not have another version. */
const isInstalled = (locked, installed) => {
  const isSame = (path) => installed[path]?.version === locked[path]?.version
  const isExpected = ([path, { optional, devOptional }]) => path !== '' && !optional && !devOptional
  const expected = Object.entries(locked).filter(isExpected)
  return expected.every(([path]) => isSame(path)) && Object.keys(installed).every(isSame)
}

/** Without it the system's ffmpeg is used, which takes more CPU time to start. */
const setUpFfmpeg = (log) =>
  installFfmpeg({ python: venvPython, toolsDir, log }).catch((error) => {
    log(`The system's ffmpeg is used: ${error.message}`)
  })

const setUpSpeech = async (log, models) => {
  if (process.env.HAUL_SPEECH !== 'off') await ensureWhatIsServed({ venvPython, toolsDir, log, models })
}

/** Waits for all installations before it fails, so that none of them is interrupted. Several may have the same reason. */
const settleAll = async (installations) => {
  const failed = (await Promise.allSettled(installations)).filter(({ status }) => status === 'rejected')
  const reasons = new Set(failed.map(({ reason }) => reason.message))
  if (reasons.size > 0) throw new Error([...reasons].join('\n'))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setUp(console.log).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
