import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { largestMediaBytes } from '../../../../../domain/jobs/step-resources.ts'
import { ENGINE_DISK_BYTES, MAX_MEDIA_SECONDS } from '../../../../../domain/limits.ts'
import { type Access, openAccess } from '../../../../../scripts/deploy/canary/access.ts'
import { canarySteps, tryDeployment } from '../../../../../scripts/deploy/canary/canary.ts'
import { healthy } from '../../../../../scripts/deploy/canary/health.ts'
import { writeSilence } from '../../../../../scripts/deploy/canary/large-file.ts'
import { importSmallFile, transcribeSmallFile } from '../../../../../scripts/deploy/canary/small-file.ts'
import { createProgress } from '../../../../../scripts/deploy/progress.ts'
import { ADMIN_TOKEN, type DeployedHaul, startDeployedHaul } from '../../../../doubles/cloudflare-api/deployed-haul.ts'

let haul: DeployedHaul
beforeEach(async () => {
  haul = await startDeployedHaul()
})
afterEach(() => haul.close())

/** Resolves with what was said. */
const canary = async (
  env: NodeJS.ProcessEnv = { ADMIN_TOKEN },
  {
    largeBytes = null,
    secretsFile = null,
  }: { largeBytes?: number | null; secretsFile?: Record<string, string> | null } = {},
): Promise<string> => {
  const lines: string[] = []
  const progress = createProgress(canarySteps(largeBytes), (line) => lines.push(line))
  await tryDeployment({ baseUrl: haul.url, env, secretsFile }, largeBytes, progress)
  return lines.join('\n')
}

const accessBy = async (): Promise<Access> =>
  (await openAccess(haul.url, (name) => (name === 'ADMIN_TOKEN' ? ADMIN_TOKEN : undefined))) as Access

test('a canary uses the same account every time, with a new key that it revokes', async () => {
  await canary()
  await canary()
  expect(haul.accounts).toMatchObject([{ name: 'canary', creditDollars: 1 }])
  expect(haul.requests.filter((request) => request.startsWith('DELETE /admin/accounts'))).toEqual([
    'DELETE /admin/accounts/acct_0/keys/key-1',
    'DELETE /admin/accounts/acct_0/keys/key-2',
  ])
})

test('a key of the operator is used as it is', async () => {
  haul.keys.add('own-key')
  await canary({ CANARY_API_KEY: 'own-key', CANARY_URL: `${haul.url}/media/completed` })
  expect(haul.requests.some((request) => request.includes('/admin/'))).toBe(false)
})

test('it imports a file of the deployment itself, and compares the bytes; its token may be in the secrets file', async () => {
  const said = await canary({}, { secretsFile: { ADMIN_TOKEN } })
  expect(said).toContain(`imported ${haul.url}/assets/canary.mp3, 23 bytes that are the same`)
})

test('without a key it says that no import was tried', async () => {
  expect(await canary({})).toContain('NOT TESTED: an import')
})

test('a failed job is reported with its code, and the key is revoked', async () => {
  haul.imports = 'failed'
  await expect(canary()).rejects.toThrow('imp_1 ended as failed: TIMED_OUT No container started.')
  expect(haul.keys.size).toBe(0)
})

test('other bytes are a failure', async () => {
  haul.imports = 'wrong-bytes'
  await expect(canary()).rejects.toThrow(/imp_1 has 22 bytes that are not the 23 bytes of/)
})

test('a deployment that does not respond is reported with the reason', async () => {
  await expect(healthy('http://127.0.0.1:1', 0)).rejects.toThrow(/health does not answer: /)
  await expect(healthy(`${haul.url}/admin`, 0)).rejects.toThrow('/admin/health answers 401.')
})

test('an import that no container runs says which containers there are', async () => {
  haul.imports = 'waiting'
  await expect(importSmallFile(await accessBy(), `${haul.url}/assets/canary.mp3`, 60)).rejects.toThrow(
    /^imp_1 was not completed within 0\.001 minutes\. Its containers: engine-0 is draining\. See docs\/operating\.md/,
  )
})

test('a transcript is read, and its job removed', async () => {
  expect(await transcribeSmallFile(await accessBy(), `${haul.url}/assets/canary.mp3`)).toBe(
    '"A sentence.", sent as it is',
  )
  expect(haul.requests).toContain('DELETE /jobs/trn_1')
})

test('a transcript without text is a failure', async () => {
  haul.transcript = ''
  await expect(transcribeSmallFile(await accessBy(), '')).rejects.toThrow(
    'The transcription failed with 200: {"text":""}',
  )
})

test('a platform that compresses what may not be compressed is a failure', async () => {
  haul.encoding = 'x-compressed'
  await expect(transcribeSmallFile(await accessBy(), '')).rejects.toThrow(
    'is sent as x-compressed although it has no-transform',
  )
})

test('a full canary credits its account with what the large file costs, and revokes its key when the upload fails', async () => {
  const full = canary({ ADMIN_TOKEN }, { largeBytes: 10_000_000 })
  await expect(full).rejects.toThrow(/^The upload of a large file did not succeed: /)
  expect([haul.credits, haul.keys.size]).toEqual([[1], 0])
})

test('a silent file of 10 GB has exactly this size, and is no longer than media may be', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-silence-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'silence.wav')
  const sizeBytes = 10_000_000_000
  await writeSilence(path, sizeBytes)
  expect((await stat(path)).size).toBe(sizeBytes)
  const file = await open(path)
  const { buffer: header } = await file.read(Buffer.alloc(80), 0, 80, 0)
  await file.close()
  expect(sizeBytes / header.readUInt32LE(64)).toBeLessThan(MAX_MEDIA_SECONDS)
  expect(sizeBytes).toBeLessThan(largestMediaBytes(ENGINE_DISK_BYTES, 'oneFile'))
})
