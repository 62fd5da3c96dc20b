import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../start/environment.ts'

const execute = promisify(execFile)

export const run = async (command: string, ...args: string[]): Promise<string> => {
  const { stdout } = await execute(command, args, { cwd: root, maxBuffer: 64 * 1024 ** 2 })
  return stdout.trim()
}

/** Both Dockerfiles start from it. */
const BASE = 'docker.io/library/node:24-bookworm-slim'

/** Builds an image, the container's by default, without Docker's engine, and returns its size. */
export const buildImage = async (tag: string, file = 'container/Dockerfile'): Promise<{ sizeBytes: number }> => {
  if (!(await exists(BASE))) await run('buildah', 'pull', '--quiet', BASE).catch(buildBase)
  const args = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers=false']
  await run('buildah', 'build', ...args, '--tag', tag, '--file', file, '.')
  return { sizeBytes: Number(await run('podman', 'image', 'inspect', '--format', '{{.Size}}', tag)) }
}

const exists = (image: string): Promise<boolean> =>
  run('buildah', 'inspect', '--type', 'image', image).then(
    () => true,
    () => false,
  )

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The base image from Debian's packages and this machine's Node, where no registry of images can be reached. */
const buildBase = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-base-'))
  const inImage = (path: string) => join(folder, path)
  try {
    await run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', folder)
    // The network may have a certificate authority of its own.
    await copyFile(CERTIFICATES, inImage(CERTIFICATES))
    await copyFile(process.execPath, inImage('usr/local/bin/node'))
    const modules = await run('npm', 'root', '--global')
    await cp(join(modules, 'npm'), inImage('usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', inImage('usr/local/bin/npm'))
    await run('chroot', folder, 'useradd', '--uid', '1000', '--create-home', 'node')
    const container = await run('buildah', 'from', 'scratch')
    await run('buildah', 'add', '--quiet', container, folder, '/')
    const certificates = ['NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'SSL_CERT_FILE'].map((name) => `${name}=${CERTIFICATES}`)
    const settings = [...certificates, `PATH=${PATH}`].flatMap((each) => ['--env', each])
    await run('buildah', 'config', ...settings, container)
    await run('buildah', 'commit', '--quiet', '--rm', container, BASE)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
