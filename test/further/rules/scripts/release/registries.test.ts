import { expect, test } from 'vitest'
import { readOptions } from '../../../../../scripts/release/options.ts'
import { release } from '../../../../../scripts/release/release.ts'
import { type Registries, type RegistryPrograms, startRegistries } from './registries.ts'
import { type SmallCheckout, smallCheckout } from './small-checkout.ts'

/** With registries that others wrote, which `npm run test:long` installs. */
const programs: RegistryPrograms | null = process.env.HAUL_REGISTRIES ? JSON.parse(process.env.HAUL_REGISTRIES) : null
const withRegistries = test.skipIf(!programs)

const run = async (
  { root }: SmallCheckout,
  { npm, pypi }: Pick<Registries, 'npm' | 'pypi'>,
  args: string[] = [],
): Promise<{ isReleased: boolean; lines: string[] }> => {
  const lines: string[] = []
  const options = { ...readOptions(args, { NPM_TOKEN: 'n', PYPI_TOKEN: 'p' }), npm, pypi }
  const isReleased = await release({ root, options, tools: `${programs?.tools}`, log: (line) => lines.push(line) })
  // Sizes depend on the compressor.
  const plain = (line: string) =>
    line
      .replace(/ \(.* kB\)/, '')
      .replaceAll(npm.registry, 'npm')
      .replaceAll(pypi.uploadUrl, 'PyPI')
  return { isReleased, lines: lines.map(plain) }
}

const packing = 'Packing and checking haul-client 1.2.0'
const [onNpm, sdist, wheel] = [
  'haul-client-1.2.0.tgz',
  'haul_client-1.2.0.tar.gz',
  'haul_client-1.2.0-py3-none-any.whl',
]

const versionsAt = async ({ npm, pypi }: Registries): Promise<{ npm: string[]; pypi: number }> => {
  const onNpm = await fetch(new URL('haul-client', npm.registry))
  const page = await fetch(new URL('haul-client/', pypi.indexUrl))
  const { versions = {} } = onNpm.ok ? ((await onNpm.json()) as { versions?: object }) : {}
  return { npm: Object.keys(versions), pypi: page.ok ? (await page.text()).split('#sha256=').length - 1 : 0 }
}

withRegistries('a dry run says what it would upload, and a release uploads it once', { timeout: 600_000 }, async () => {
  await using registries = await startRegistries(programs as RegistryPrograms)
  await using checkout = await smallCheckout()
  expect(await run(checkout, registries, ['--dry-run'])).toEqual({
    isReleased: true,
    lines: [packing, `Would upload ${onNpm} to npm`, `Would upload ${sdist} to PyPI`, `Would upload ${wheel} to PyPI`],
  })
  expect(await versionsAt(registries)).toEqual({ npm: [], pypi: 0 })

  expect(await run(checkout, registries)).toEqual({
    isReleased: true,
    lines: [packing, `Uploaded ${onNpm} to npm`, `Uploaded ${sdist} to PyPI`, `Uploaded ${wheel} to PyPI`],
  })
  expect(await versionsAt(registries)).toEqual({ npm: ['1.2.0'], pypi: 2 })

  expect((await run(checkout, registries)).lines).toEqual([
    packing,
    `Skipped ${onNpm}: npm has it already`,
    `Skipped ${sdist}: PyPI has it already`,
    `Skipped ${wheel}: PyPI has it already`,
  ])

  await checkout.change('client/dist/index.js', 'export const seconds = 2\n')
  expect(await run(checkout, registries)).toEqual({
    isReleased: false,
    lines: [
      packing,
      `Not released: npm has ${onNpm} with other contents. A new release needs a higher version than 1.2.0.`,
    ],
  })
})

withRegistries('a release that PyPI has refused goes on when it is started again', { timeout: 600_000 }, async () => {
  await using registries = await startRegistries(programs as RegistryPrograms)
  await using checkout = await smallCheckout()
  const wrong = { ...registries, pypi: { ...registries.pypi, token: 'wrong' } }
  await expect(run(checkout, wrong)).rejects.toThrow(/403|401/)
  expect(await versionsAt(registries)).toEqual({ npm: ['1.2.0'], pypi: 0 })
  expect(await run(checkout, registries)).toEqual({
    isReleased: true,
    lines: [packing, `Skipped ${onNpm}: npm has it already`, `Uploaded ${sdist} to PyPI`, `Uploaded ${wheel} to PyPI`],
  })
})

withRegistries('with a wrong token for npm, nothing is uploaded anywhere', { timeout: 600_000 }, async () => {
  await using registries = await startRegistries(programs as RegistryPrograms)
  await using checkout = await smallCheckout()
  const wrong = { ...registries, npm: { ...registries.npm, token: 'wrong' } }
  await expect(run(checkout, wrong)).rejects.toThrow()
  expect(await versionsAt(registries)).toEqual({ npm: [], pypi: 0 })
})

withRegistries(
  'a wheel without py.typed, and with another version, is not uploaded',
  { timeout: 600_000 },
  async () => {
    await using registries = await startRegistries(programs as RegistryPrograms)
    await using checkout = await smallCheckout({ 'python/src/haul_client/py.typed': null })
    expect((await run(checkout, registries)).lines).toEqual([
      packing,
      `Not released: ${wheel} has no haul_client/py.typed.`,
    ])
    await checkout.change('python/src/haul_client/py.typed', '')
    await checkout.change('python/src/haul_client/__init__.py', '__version__ = "1.1.0"\n')
    expect((await run(checkout, registries)).lines).toEqual([
      packing,
      'Not released: haul_client.__version__ is 1.1.0 instead of 1.2.0.',
    ])
    expect(await versionsAt(registries)).toEqual({ npm: [], pypi: 0 })
  },
)
