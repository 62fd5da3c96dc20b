import { existsSync } from 'node:fs'
import { isOnPath, run } from './command.mjs'

/** Programs that are neither on npm nor on PyPI come from the system's packages. Without root we print the command. */

const installCommands = {
  ffmpeg: {
    macOS: 'brew install ffmpeg',
    'Debian or Ubuntu': 'sudo apt-get install ffmpeg',
    Fedora: 'sudo dnf install ffmpeg-free',
  },
  bubblewrap: {
    'Debian or Ubuntu': 'sudo apt-get install bubblewrap',
    Fedora: 'sudo dnf install bubblewrap',
  },
  Chromium: {
    macOS: 'brew install --cask chromium',
    'Debian or Ubuntu': 'sudo apt-get install chromium',
    Fedora: 'sudo dnf install chromium',
  },
  promtool: {
    macOS: 'brew install prometheus',
    Fedora: 'sudo dnf install golang-github-prometheus',
  },
  'buildah and podman': {
    'Debian or Ubuntu': 'sudo apt-get install buildah debootstrap podman runc netavark aardvark-dns',
  },
  aria2: {
    macOS: 'brew install aria2',
    'Debian or Ubuntu': 'sudo apt-get install aria2',
    Fedora: 'sudo dnf install aria2',
  },
  curl: { 'Debian or Ubuntu': 'sudo apt-get install curl' },
  wget: { 'Debian or Ubuntu': 'sudo apt-get install wget' },
  'Python 3.10 or newer with venv': {
    macOS: 'brew install python',
    'Debian or Ubuntu': 'sudo apt-get install python3 python3-venv',
    Fedora: 'sudo dnf install python3',
  },
}

export const ensureFfmpeg = async (log) => {
  if (await hasFfmpeg()) return
  await installOrExplain('ffmpeg', ['ffmpeg', 'iproute2'], log)
  if (!(await hasFfmpeg())) throw new Error(explain('ffmpeg'))
}

const hasFfmpeg = async () => (await isOnPath('ffmpeg')) && (await isOnPath('ffprobe'))

/** It isolates what processes untrusted files. Other systems than Linux do not have it, and need SANDBOX=weak. */
export const ensureBubblewrap = async (log) => {
  if (process.platform !== 'linux' || process.env.SANDBOX === 'weak' || (await isOnPath('bwrap'))) return
  await installOrExplain('bubblewrap', ['bubblewrap'], log)
}

/** The first has no windows and is smaller. Not every distribution has it. */
const chromiumPackages = ['chromium-headless-shell', 'chromium']

/** Tests need it. HAUL_CHROMIUM is the path of a Chromium that is not on the PATH. */
export const ensureChromium = async (log) => {
  if (process.env.HAUL_CHROMIUM) return
  const found = await Promise.all(chromiumPackages.map(isOnPath))
  if (found.includes(true)) return
  const [first, second] = chromiumPackages
  await installOrExplain('Chromium', [first], log).catch(() => installOrExplain('Chromium', [second], log))
}

/** HAUL_CHROMIUM, or the one that `ensureChromium` has installed. */
export const chromiumPath = () =>
  process.env.HAUL_CHROMIUM || (chromiumPackages.map((name) => `/usr/bin/${name}`).find(existsSync) ?? 'chromium')

export const installOrExplain = async (program, packages, log) => {
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get'))) throw new Error(explain(program))
  log(`Installing ${packages.join(', ')} from the system's packages`)
  await serially(() => install(packages))
}

export const explain = (program) => {
  const commands = Object.entries(installCommands[program]).map(([system, command]) => `on ${system}: ${command}`)
  return `Haul needs ${program}. Install it and run the command again (${commands.join('; ')}).`
}

const install = async (packages) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update'], { env })
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', [...waitForLock, 'install', '-y', '--no-install-recommends', ...packages], { env })
}

/** apt-get cannot run twice at the same time. */
const serially = (work) => {
  last = last.then(work, work)
  return last
}
let last = Promise.resolve()
