import { ensureBase, ownArchitecture } from './base.ts'
import { run } from './run.ts'

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
