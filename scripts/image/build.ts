import { existsSync } from 'node:fs'
import { copyFile, cp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run as runCommand, succeeds } from '../setup/command.mjs'
import { withStaging } from '../setup/install.mjs'
import { root } from '../start/environment.ts'

const run = (command: string, ...args: string[]): Promise<string> => runCommand(command, args, { cwd: root })

type Architecture = 'amd64' | 'arm64'
const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

/** Both Dockerfiles begin with it. */
const BASE = 'docker.io/library/node:24-bookworm-slim'

const emulator = { amd64: 'qemu-x86_64', arm64: 'qemu-aarch64' }

/** Builds an image, the container's by default, without Docker's engine, and returns its size. */
export const buildImage = async (
  tag: string,
  file = 'container/Dockerfile',
  architecture = ownArchitecture,
): Promise<{ sizeBytes: number }> => {
  await ensureBase(architecture)
  const args = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers=false']
  await run('buildah', 'build', ...args, '--platform', `linux/${architecture}`, '--tag', tag, '--file', file, '.')
  return { sizeBytes: Number(await run('podman', 'image', 'inspect', '--format', '{{.Size}}', tag)) }
}

/** Tags the base image of an architecture with the name that the Dockerfiles use. */
const ensureBase = async (architecture: Architecture): Promise<void> => {
  if (architecture !== ownArchitecture && !existsSync(`/proc/sys/fs/binfmt_misc/${emulator[architecture]}`))
    throw new Error(`An image for ${architecture} needs its emulation: install qemu-user-static and binfmt-support.`)
  const kept = `localhost/haul-base:${architecture}`
  if (!(await succeeds('buildah', ['inspect', '--type', 'image', kept]))) {
    const id = await run('buildah', 'pull', '--quiet', '--arch', architecture, BASE).catch(() => null)
    await (id ? run('buildah', 'tag', id, kept) : buildBase(kept, architecture))
  }
  await run('buildah', 'tag', kept, BASE)
}

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The base image from Debian's packages and this Node, where no registry of images can be reached. */
const buildBase = (tag: string, architecture: Architecture): Promise<void> =>
  withStaging(tmpdir(), async (folder) => {
    const inImage = (path: string) => join(folder, path)
    const options = [`--arch=${architecture}`, '--variant=minbase', '--include=ca-certificates']
    await run('debootstrap', ...options, 'bookworm', folder)
    // The network may have a certificate authority of its own.
    await copyFile(CERTIFICATES, inImage(CERTIFICATES))
    await putNode(inImage('usr/local/bin/node'), architecture)
    const modules = await run('npm', 'root', '--global')
    await cp(join(modules, 'npm'), inImage('usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', inImage('usr/local/bin/npm'))
    await run('chroot', folder, 'useradd', '--uid', '1000', '--create-home', 'node')
    const container = await run('buildah', 'from', '--arch', architecture, 'scratch')
    await run('buildah', 'add', '--quiet', container, folder, '/')
    const certificates = ['NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'SSL_CERT_FILE'].map((name) => `${name}=${CERTIFICATES}`)
    const settings = [...certificates, `PATH=${PATH}`].flatMap((each) => ['--env', each])
    await run('buildah', 'config', '--arch', architecture, ...settings, container)
    await run('buildah', 'commit', '--quiet', '--rm', container, tag)
  })

/** This program, or the same version for another architecture from the package that the npm package `node` installs. */
const putNode = async (target: string, architecture: Architecture): Promise<void> => {
  if (architecture === ownArchitecture) return copyFile(process.execPath, target)
  await withStaging(tmpdir(), async (folder) => {
    const name = `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`
    const pack = ['pack', '--silent', '--pack-destination', folder]
    const tarball = await run('npm', ...pack, `${name}@${process.versions.node}`)
    await run('tar', '--extract', '--file', join(folder, tarball), '--directory', folder, 'package/bin/node')
    await copyFile(join(folder, 'package/bin/node'), target)
  })
}
