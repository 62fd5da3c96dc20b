import { spawn } from 'node:child_process'

export interface Limits {
  addressSpaceBytes: number
  cpuSeconds: number
  fileSizeBytes: number
  openFiles: number
}

/** What this system lets us take from a child. /health reports it. */
export interface Isolation {
  /** 'none': children share our network and only their flags keep them off it. */
  network: 'namespace' | 'user-namespace' | 'none'
  /** prlimit and setpriv work. */
  limits: boolean
}

export interface Confinement {
  limits: Limits
  network: 'none' | 'host'
  capabilities: 'dropped' | 'kept'
}

const namespaces = {
  namespace: ['unshare', '--net', '--'],
  // Without privilege a network namespace needs a user namespace around it.
  'user-namespace': ['unshare', '--map-root-user', '--net', '--'],
  none: [],
} as const satisfies Record<Isolation['network'], string[]>

/** A child that keeps CAP_SYS_ADMIN could simply enter our namespace again. It also dies when we do. */
const withoutPrivilege = [
  'setpriv',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--pdeathsig=KILL',
  '--',
]
const dyingWithUs = ['setpriv', '--pdeathsig=KILL', '--']

const asked: { answer?: Promise<Isolation> } = {}

/** Asks the system once. */
export const isolation = (): Promise<Isolation> => {
  asked.answer ??= probe()
  return asked.answer
}

const probe = async (): Promise<Isolation> => {
  const limits = await works(['prlimit', '--core=0', ...dyingWithUs, 'true'])
  if (!limits) return { network: 'none', limits }
  for (const network of ['namespace', 'user-namespace'] as const) {
    if (await works([...namespaces[network], ...withoutPrivilege, 'true'])) return { network, limits }
  }
  return { network: 'none', limits }
}

const works = ([program = '', ...args]: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: 5_000 })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })

/** Puts in front of a command the programs that shut it in. Each execs the next: the process id stays. */
export const wrap = (
  { network, limits }: Isolation,
  command: string,
  args: string[],
  confinement: Confinement,
): [string, string[]] => {
  const isolated = network !== 'none' && confinement.network === 'none'
  // Without a user namespace only root may drop from the bounding set, which is where it matters.
  const mayDrop = isolated || process.getuid?.() === 0
  const privilege = confinement.capabilities === 'dropped' && mayDrop ? withoutPrivilege : dyingWithUs
  const [program = command, ...rest] = [
    ...(limits ? ['prlimit', ...limitFlags(confinement.limits)] : []),
    ...(isolated ? namespaces[network] : []),
    ...(limits ? privilege : []),
    command,
    ...args,
  ]
  return [program, rest]
}

const limitFlags = (limits: Limits): string[] => [
  `--as=${limits.addressSpaceBytes}`,
  `--cpu=${limits.cpuSeconds}`,
  `--fsize=${limits.fileSizeBytes}`,
  `--nofile=${limits.openFiles}`,
  '--core=0',
]
