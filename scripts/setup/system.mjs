import { isOnPath, run } from './command.mjs'

/** What can't be had from npm or PyPI comes from the system's own packages, by hand where we may not. */

const byHand = {
  ffmpeg: {
    macOS: 'brew install ffmpeg',
    'Debian or Ubuntu': 'sudo apt-get install ffmpeg',
    Fedora: 'sudo dnf install ffmpeg-free',
  },
  Chromium: {
    macOS: 'brew install --cask chromium',
    'Debian or Ubuntu': 'sudo apt-get install chromium',
    Fedora: 'sudo dnf install chromium',
  },
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

/** Only tests want it. One that stands elsewhere is named by HAUL_CHROMIUM. */
export const ensureChromium = async (log) => {
  if (!process.env.HAUL_CHROMIUM && !(await isOnPath('chromium'))) await installOrExplain('Chromium', ['chromium'], log)
}

export const installOrExplain = async (what, packages, log) => {
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get'))) throw new Error(explain(what))
  log(`Installing ${packages.join(', ')} from the system's packages`)
  await inTurn(() => install(packages))
}

const explain = (what) => {
  const ways = Object.entries(byHand[what]).map(([system, command]) => `on ${system}: ${command}`)
  return `Haul needs ${what}. Install it and start again (${ways.join('; ')}).`
}

const install = async (packages) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update'], { env })
  const patience = ['-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', [...patience, 'install', '-y', '--no-install-recommends', ...packages], { env })
}

/** apt refuses to run twice at a time. */
const inTurn = (work) => {
  last = last.then(work, work)
  return last
}
let last = Promise.resolve()
