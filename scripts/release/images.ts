import { isOnPath, run, succeeds } from '../setup/command.mjs'
import type { ReleaseOptions } from './options.ts'

export const images = [
  { name: 'haul', file: 'self-host/Dockerfile' },
  { name: 'haul-engine', file: 'container/Dockerfile' },
]
const architectures = ['amd64', 'arm64'] as const
const platforms = architectures.map((each) => `linux/${each}`).join()

export interface ImageRelease {
  root: string
  version: string
  options: ReleaseOptions
  log: (line: string) => void
}

export interface Command {
  program: string
  args: string[]
  input?: string | undefined
}

const hostOf = (registry: string): string => registry.split('/')[0] ?? registry

const login = (program: string, { registry, user, token }: ReleaseOptions['images']): Command => ({
  program,
  args: ['login', '--username', user, '--password-stdin', ...insecure(program, registry), hostOf(registry)],
  input: token,
})

/** Docker speaks HTTP with a registry on this machine, and buildah has to be told. */
const insecure = (program: string, registry: string): string[] =>
  program === 'buildah' && /^(127\.0\.0\.1|localhost)(:|$)/.test(hostOf(registry)) ? ['--tls-verify=false'] : []

const tagsOf = (registry: string, name: string, version: string): string[] =>
  [version, 'latest'].map((tag) => `${registry}/${name}:${tag}`)

export const dockerCommands = ({ version, options }: Pick<ImageRelease, 'version' | 'options'>): Command[] => {
  const { images: target, isDryRun } = options
  const builds = images.map(({ name, file }) => {
    const tags = tagsOf(target.registry, name, version).flatMap((tag) => ['--tag', tag])
    const push = isDryRun ? [] : ['--push']
    const args = ['buildx', 'build', '--platform', platforms, '--file', file, ...tags, ...push, '.']
    return { program: 'docker', args }
  })
  return [...(isDryRun ? [] : [login('docker', target)]), ...builds]
}

export const buildahPushes = (
  built: string[],
  name: string,
  { version, options }: Pick<ImageRelease, 'version' | 'options'>,
): Command[] => {
  const { registry } = options.images
  const list = `localhost/${name}:${version}-list`
  const buildah = (...args: string[]): Command => ({ program: 'buildah', args })
  const push = ['manifest', 'push', '--all', ...insecure('buildah', registry), list]
  const tags = options.isDryRun ? [] : tagsOf(registry, name, version)
  return [
    buildah('manifest', 'create', list),
    ...built.map((image) => buildah('manifest', 'add', list, image)),
    ...tags.map((tag) => buildah(...push, `docker://${tag}`)),
    buildah('manifest', 'rm', list),
  ]
}

export const releaseImages = async (release: ImageRelease): Promise<void> => {
  const { root, version, options, log } = release
  const perform = ({ program, args, input }: Command) => run(program, args, { cwd: root, input })
  const what = `${images.map(({ name }) => `${options.images.registry}/${name}:${version}`).join(' and ')} for ${platforms}`
  log(`Building ${what}`)
  if (await succeeds('docker', ['buildx', 'inspect'], { cwd: root })) {
    for (const command of dockerCommands(release)) await perform(command)
  } else if (await isOnPath('buildah')) {
    const { buildImage } = await import('../image/build.ts')
    if (!options.isDryRun) await perform(login('buildah', options.images))
    for (const { name, file } of images) {
      const built = architectures.map((architecture) => `localhost/${name}:${version}-${architecture}`)
      for (const [index, architecture] of architectures.entries())
        await buildImage(built[index] ?? '', file, architecture)
      for (const command of buildahPushes(built, name, release)) await perform(command)
    }
  } else throw new Error('Images need Docker with buildx, or buildah.')
  log(`${options.isDryRun ? 'Would upload' : 'Uploaded'} ${what}`)
}
