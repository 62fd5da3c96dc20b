import { existsSync } from 'node:fs'
import { isOnPath, run } from './command.mjs'

/** Programs that are neither on npm nor on PyPI: the packages that have them, by the system's installer. */
const packages = {
  ffmpeg: { brew: 'ffmpeg', apt: 'ffmpeg iproute2', dnf: 'ffmpeg-free' },
  bubblewrap: { apt: 'bubblewrap', dnf: 'bubblewrap' },
  Chromium: { brew: '--cask chromium', apt: 'chromium', dnf: 'chromium' },
  promtool: { brew: 'prometheus', dnf: 'golang-github-prometheus' },
  // netavark calls iptables, but its Debian package does not depend on it.
  'buildah and podman': { apt: 'buildah debootstrap podman runc netavark aardvark-dns iptables' },
  aria2: { brew: 'aria2', apt: 'aria2', dnf: 'aria2' },
  curl: { apt: 'curl' },
  wget: { apt: 'wget' },
  'Python 3.10 or newer with venv': { brew: 'python', apt: 'python3 python3-venv', dnf: 'python3' },
}

const installers = {
  brew: 'on macOS: brew install',
  apt: 'on Debian or Ubuntu: sudo apt-get install',
  dnf: 'on Fedora: sudo dnf install',
}

export const ensureFfmpeg = async (log) => {
  if (await hasFfmpeg()) return
  await installOrExplain('ffmpeg', log)
  if (!(await hasFfmpeg())) throw new Error(explain('ffmpeg'))
}

const hasFfmpeg = async () => (await isOnPath('ffmpeg')) && (await isOnPath('ffprobe'))

/** It isolates what processes untrusted files. Other systems than Linux do not have it, and need SANDBOX=weak. */
export const ensureBubblewrap = async (log) => {
  if (process.platform !== 'linux' || process.env.SANDBOX === 'weak' || (await isOnPath('bwrap'))) return
  await installOrExplain('bubblewrap', log)
}

/** The first has no windows and is smaller. Not every distribution has it. */
const chromiums = ['chromium-headless-shell', 'chromium']

/** Tests need it. HAUL_CHROMIUM is the path of a Chromium that is not on the PATH. */
export const ensureChromium = async (log) => {
  if (process.env.HAUL_CHROMIUM) return
  const found = await Promise.all(chromiums.map(isOnPath))
  if (found.includes(true)) return
  await installOrExplain('Chromium', log, chromiums[0]).catch(() => installOrExplain('Chromium', log))
}

/** HAUL_CHROMIUM, or the one that `ensureChromium` has installed. */
export const chromiumPath = () =>
  process.env.HAUL_CHROMIUM || (chromiums.map((name) => `/usr/bin/${name}`).find(existsSync) ?? 'chromium')

export const installOrExplain = async (program, log, names = packages[program].apt) => {
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get'))) throw new Error(explain(program))
  log(`Installing ${names} from the system's packages`)
  await serially(() => install(names.split(' ')))
}

export const explain = (program) => {
  const commands = Object.entries(packages[program]).map(([installer, names]) => `${installers[installer]} ${names}`)
  return `Haul needs ${program}. Install it and run the command again (${commands.join('; ')}).`
}

const install = async (names) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update'], { env })
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', [...waitForLock, 'install', '-y', '--no-install-recommends', ...names], { env })
}

/** apt-get cannot run twice at the same time. */
const serially = (work) => {
  last = last.then(work, work)
  return last
}
let last = Promise.resolve()
