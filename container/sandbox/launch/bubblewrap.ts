import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a child can see of the file system, besides the system's programs. */
export interface FileView {
  reads?: readonly string[] | undefined
  /** Existing files. A child has no folder to write to, so it cannot leave a symbolic link for the container to open. */
  writes?: readonly string[] | undefined
}

const programs = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

/** On merged systems /lib and others are links into /usr. A link costs less than a mount. */
const programFolder = (path: string): string[] => {
  const target = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : ''
  return join('/', target).startsWith('/usr/') ? ['--symlink', target, path] : ['--ro-bind-try', path, path]
}

const programFolders = programs.flatMap(programFolder)

/** What programs need of /etc: the linker's cache, and links between libraries on Debian. */
const settings = ['/etc/ld.so.cache', '/etc/alternatives']
/** Children need no other devices, and each one costs a mount. */
const devices = ['/dev/null', '/dev/urandom']

const TMP_BYTES = 64 * 1024 ** 2

const namespaces = ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try']

/** The options of bwrap. `userId` is null if we are not root: a user namespace isolates the child then. */
export const bubblewrap = (files: FileView, userId: number | null, filterDescriptor: number): string[] => [
  ...(userId === null ? ['--unshare-user'] : withCapabilities('SETUID', 'SETGID', 'SETPCAP')),
  ...view(files),
  ...['--seccomp', String(filterDescriptor)],
]

/** What runs inside before the program: drops the capabilities that the change of user needed. */
export const asUser = (userId: number): string[] => [
  ...['setpriv', '--reuid', String(userId), '--regid', String(userId), '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--'],
]

/** For the warm extractor: its forks isolate themselves, with namespaces and users of their own, and get the filter. */
export const bubblewrapForForks = (files: FileView): string[] => [
  'bwrap',
  ...(process.getuid?.() === 0
    ? withCapabilities('SETUID', 'SETGID', 'SETPCAP', 'SYS_ADMIN', 'NET_ADMIN')
    : ['--unshare-user']),
  ...view(files),
  '--',
]

const view = ({ reads = [], writes = [] }: FileView): string[] => [
  ...namespaces,
  // The whole group of the child ends with bwrap, and bwrap with the container.
  ...['--die-with-parent', '--new-session'],
  ...programFolders,
  ...['--proc', '/proc', '--tmpfs', '/dev'],
  ...devices.flatMap((path) => ['--dev-bind', path, path]),
  ...['--remount-ro', '/dev'],
  ...['--perms', '1777', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
  ...foldersAbove([...settings, ...reads, ...writes]).flatMap((path) => ['--perms', '0755', '--dir', path]),
  ...settings.flatMap((path) => ['--ro-bind-try', path, path]),
  // Folders before what is in them.
  ...reads.toSorted(byLength).flatMap((path) => ['--ro-bind', path, path]),
  ...writes.flatMap((path) => ['--bind', path, path]),
  ...['--remount-ro', '/', '--chdir', '/'],
]

const withCapabilities = (...names: string[]): string[] => names.flatMap((name) => ['--cap-add', `CAP_${name}`])

/** Without these, bwrap creates the folders for its own user only. */
const foldersAbove = (paths: readonly string[]): string[] => {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].filter((folder) => !programs.some((path) => isIn(folder, path))).toSorted(byLength)
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
const byLength = (one: string, other: string): number => one.length - other.length
