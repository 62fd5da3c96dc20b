import { spawn } from 'node:child_process'

export interface Limits {
  addressSpaceBytes: number
  cpuSeconds: number
  fileSizeBytes: number
  openFiles: number
}

/** The isolation that this system supports. /health reports it. */
export interface Isolation {
  /** 'none': children share the container's network. Only their command-line flags keep them from using it. */
  network: 'namespace' | 'user-namespace' | 'none'
  /** prlimit and setpriv work. */
  limits: boolean
}

export interface Confinement {
  limits: Limits
  capabilities: 'dropped' | 'kept'
}

const namespaces = {
  namespace: ['unshare', '--net', '--'],
  // Without privilege a network namespace needs a user namespace around it.
  'user-namespace': ['unshare', '--map-root-user', '--net', '--'],
  none: [],
} as const satisfies Record<Isolation['network'], string[]>

/** With CAP_SYS_ADMIN a child could enter the container's network namespace again. It is also killed with its parent. */
const withoutPrivilege = [
  'setpriv',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--pdeathsig=KILL',
  '--',
]
const diesWithParent = ['setpriv', '--pdeathsig=KILL', '--']

const probed: { result?: Promise<Isolation> } = {}

/** Probes the system once. */
export const isolation = (): Promise<Isolation> => {
  probed.result ??= probe()
  return probed.result
}

const probe = async (): Promise<Isolation> => {
  const limits = await works(['prlimit', '--core=0', ...diesWithParent, 'true'])
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

/** Prefixes a command with the programs that confine it. Each one execs the next, so the process id stays the same. */
export const wrap = (
  { network, limits }: Isolation,
  command: string,
  args: string[],
  confinement: Confinement,
): [string, string[]] => {
  const isolated = network !== 'none'
  // Without a namespace only root may drop capabilities from the bounding set, and only root has any to drop.
  const mayDrop = isolated || process.getuid?.() === 0
  const privilege = confinement.capabilities === 'dropped' && mayDrop ? withoutPrivilege : diesWithParent
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
