import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packages } from '../../../../../package-lock.json' with { type: 'json' }
import { buildahPushes, dockerCommands, images } from '../../../../../scripts/release/images.ts'
import { readOptions } from '../../../../../scripts/release/options.ts'
import { root } from '../../../../../scripts/start/environment.ts'

const env = {
  NPM_TOKEN: 'n',
  PYPI_TOKEN: 'p',
  IMAGE_REGISTRY: 'images.example.com/acme',
  IMAGE_USER: 'u',
  IMAGE_TOKEN: 't',
}
const release = { version: '1.2.0', options: readOptions(['--images'], env) }
const dryRun = { version: '1.2.0', options: readOptions(['--images', '--dry-run'], env) }
const lines = (commands: { program: string; args: string[] }[]) =>
  commands.map(({ program, args }) => [program, ...args].join(' '))

test('Docker builds and uploads both images for both architectures, and the token is in no argument', () => {
  const [login, ...builds] = dockerCommands(release)
  expect(login).toEqual({
    program: 'docker',
    args: ['login', '--username', 'u', '--password-stdin', 'images.example.com'],
    input: 't',
  })
  const tags = (name: string) =>
    `--tag images.example.com/acme/${name}:1.2.0 --tag images.example.com/acme/${name}:latest`
  const build = 'docker buildx build --platform linux/amd64,linux/arm64 --file'
  expect(lines(builds)).toEqual([
    `${build} self-host/Dockerfile ${tags('haul')} --push .`,
    `${build} container/Dockerfile ${tags('haul-engine')} --push .`,
  ])
})

test('a dry run logs in nowhere and uploads no image', () => {
  const commands = [...dockerCommands(dryRun), ...buildahPushes(['localhost/haul:1.2.0-amd64'], 'haul', dryRun)]
  expect(lines(commands).filter((line) => /login|push/.test(line))).toEqual([])
})

test('buildah uploads one list of both architectures under both tags', () => {
  const pushes = lines(buildahPushes(['haul-amd64', 'haul-arm64'], 'haul', release)).filter((line) =>
    line.includes('push'),
  )
  expect(pushes).toEqual(
    ['1.2.0', 'latest'].map(
      (tag) => `buildah manifest push --all localhost/haul:1.2.0-list docker://images.example.com/acme/haul:${tag}`,
    ),
  )
})

test('each Dockerfile that is released exists', () => {
  expect(images.filter(({ file }) => !existsSync(join(root, file)))).toEqual([])
})

/** workerd and esbuild are programs, each in a package for its architecture. */
test('the lockfile has the programs of the images for arm64', () => {
  expect(Object.keys(packages)).toEqual(
    expect.arrayContaining(['node_modules/@cloudflare/workerd-linux-arm64', 'node_modules/@esbuild/linux-arm64']),
  )
})
