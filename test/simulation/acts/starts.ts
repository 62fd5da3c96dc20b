import type { FailureCode } from '../../../domain/codes/failures.ts'
import { RECEIVER_URL } from '../actors/receiver.ts'
import { type SourceFacts, sourceUrl } from '../actors/sources.ts'
import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'

const failures: FailureCode[] = ['SOURCE_NOT_FOUND', 'SOURCE_BLOCKED', 'SOURCE_RATE_LIMITED', 'NO_AUDIO']

const usualFacts = (random: Random): Partial<SourceFacts> => ({
  bytes: random.between(100_000, 6_000_000),
  workMs: random.between(500, 20_000),
  seconds: random.between(5, 600),
  isSizeKnown: random.chance(0.8),
})

const usualUrl = ({ random, name }: Scene, more: Partial<SourceFacts> = {}): string =>
  sourceUrl(name, { ...usualFacts(random), ...more })

/** Half of the starts want a webhook. */
const webhook = ({ random }: Scene) => (random.chance(0.5) ? { webhookUrl: RECEIVER_URL } : {})

/** The name of an act has its number. */
const notes = ({ name }: Scene) => ({ act: name, kind: 'import' })

const startImport = (scene: Scene, facts: Partial<SourceFacts> = {}, more: object = {}, key?: string) =>
  scene.account.start('/import', { url: usualUrl(scene, facts), ...webhook(scene), ...more }, key)

const startTranscription = (scene: Scene, more: object, facts: Partial<SourceFacts> = {}, key?: string) =>
  scene.account.start('/transcribe', { url: usualUrl(scene, facts), ...webhook(scene), ...more }, key)

/** Acts that begin jobs. */
export const starts = {
  import: { weight: 6, run: (scene) => startImport(scene, {}, { metadata: notes(scene) }) },
  'import of a large file': {
    weight: 1,
    run: (scene) => startImport(scene, { bytes: scene.random.between(9_000_000, 60_000_000), workMs: 30_000 }),
  },
  'import with a ceiling': {
    weight: 1,
    run: (scene) => {
      const { random } = scene
      const ceiling = random.chance(0.5)
        ? { maxCostDollars: random.between(1, 60) / 1_000 }
        : { maxBytes: random.between(100_000, 6_000_000) }
      return startImport(scene, {}, ceiling)
    },
  },
  'import that the source refuses': {
    weight: 1,
    run: (scene) => startImport(scene, { fails: failures[scene.random.between(0, failures.length - 1)] ?? null }),
  },
  'import of a source that is not there': { weight: 1, run: (scene) => startImport(scene, { status: 404 }) },
  'import with a key, repeated': {
    weight: 2,
    run: async (scene) => {
      const { account, random, name } = scene
      const body = { url: usualUrl(scene), ...webhook(scene) }
      const first = account.start('/import', body, name)
      // Some come back when the reservation of the key has expired.
      await sleep(random.chance(0.4) ? random.between(60_000, 90_000) : random.between(0, 3_000))
      await Promise.all([first, account.start('/import', body, name)])
    },
  },
  'import with the key of another request': {
    weight: 1,
    run: async (scene) => {
      await startImport(scene, {}, {}, scene.name)
      await scene.account.ask('POST', '/import', {
        body: { url: sourceUrl(`${scene.name}-other`) },
        headers: { 'idempotency-key': scene.name },
      })
    },
  },
  'import that may be an earlier one': {
    weight: 2,
    run: ({ account, random }) =>
      account.start('/import', { url: sourceUrl(`shared-${random.between(0, 2)}`), reuseWithinSeconds: 86_400 }),
  },
  'transcription by captions': {
    weight: 2,
    run: (scene) => startTranscription(scene, {}, { captions: scene.random.chance(0.8) ? 'en' : '' }),
  },
  'transcription by the built-in engine': {
    weight: 2,
    run: (scene) => startTranscription(scene, { provider: 'builtin' }, { isSilent: scene.random.chance(0.1) }),
  },
  'transcription by captions or else the engine': {
    weight: 1,
    run: (scene) => {
      const { random } = scene
      const more = { provider: 'builtin', captionsFirst: true }
      return startTranscription(
        scene,
        more,
        { captions: random.chance(0.5) ? 'en' : '' },
        random.chance(0.5) ? scene.name : undefined,
      )
    },
  },
  'transcription of a file that lasts longer than it states': {
    weight: 1,
    run: (scene) => {
      const { random } = scene
      const facts = { seconds: random.between(2, 60), lasts: random.between(2, 60) }
      const ceiling = random.chance(0.5) ? { maxCostDollars: random.between(3, 60) / 100 } : {}
      return startTranscription(scene, { provider: 'builtin', ...ceiling }, facts)
    },
  },
  'transcription with a ceiling': {
    weight: 1,
    run: (scene) =>
      startTranscription(scene, { provider: 'builtin', maxCostDollars: scene.random.between(1, 30) / 100 }),
  },
  'transcription of an import': {
    weight: 1,
    run: async (scene) => {
      const { account, random } = scene
      const imports = account.jobs.filter(({ kind }) => kind === 'import')
      const importId = imports[random.between(0, Math.max(0, imports.length - 1))]?.id
      if (importId !== undefined) await account.start('/transcribe', { importId, provider: 'builtin', speakers: true })
    },
  },
  'transcription of an upload': {
    weight: 1,
    run: async ({ account, random }) => {
      const uploadId = account.uploads[random.between(0, Math.max(0, account.uploads.length - 1))]
      if (uploadId !== undefined) await account.start('/transcribe', { uploadId, provider: 'builtin' })
    },
  },
  'start that is refused': {
    weight: 1,
    run: ({ account, random }) =>
      account.ask('POST', random.chance(0.5) ? '/import' : '/transcribe', { body: { url: 'not a url' } }),
  },
  'start without a key': {
    weight: 1,
    run: ({ account, random }) =>
      account.ask('POST', '/import', {
        body: { url: sourceUrl('stranger') },
        headers: { authorization: random.chance(0.5) ? 'Bearer haul_nonsense' : '' },
      }),
  },
} satisfies Record<string, Act>
