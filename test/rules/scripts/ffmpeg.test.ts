import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { installFfmpeg } from '../../../scripts/ffmpeg.mjs'
import { scratch } from '../../container/audio/recordings.ts'

const onLinux = test.runIf(process.platform === 'linux' && process.arch === 'x64')
const python = '/nowhere/python'
const stub = (response: () => Promise<Response>): void => {
  vi.stubGlobal('fetch', response)
  onTestFinished(() => void vi.unstubAllGlobals())
}

onLinux('a download that differs from the pinned file is refused, and leaves what was there', async () => {
  const toolsDir = scratch()
  await mkdir(join(toolsDir, 'ffmpeg'))
  await writeFile(join(toolsDir, 'ffmpeg', 'ffprobe'), 'an earlier version')
  stub(async () => new Response('another file'))
  await expect(installFfmpeg({ python, toolsDir, log: () => {} })).rejects.toThrow('is damaged: its SHA-256 is')
  expect(await readdir(toolsDir)).toEqual(['ffmpeg'])
  expect(await readFile(join(toolsDir, 'ffmpeg', 'ffprobe'), 'utf8')).toBe('an earlier version')
})

onLinux('a registry that does not have the file gives a clear error', async () => {
  stub(async () => new Response('', { status: 404 }))
  await expect(installFfmpeg({ python, toolsDir: scratch(), log: () => {} })).rejects.toThrow('status 404')
})

onLinux('what is installed is not downloaded again', async () => {
  const installed = join(import.meta.dirname, '../../../.tools/ffmpeg/sha256')
  const toolsDir = scratch()
  await mkdir(join(toolsDir, 'ffmpeg'))
  const source = await readFile(join(import.meta.dirname, '../../../scripts/ffmpeg.mjs'), 'utf8')
  const [, sha256 = ''] = /const sha256 = '(\w+)'/.exec(source) ?? []
  if (existsSync(installed)) expect(await readFile(installed, 'utf8')).toBe(sha256)
  await writeFile(join(toolsDir, 'ffmpeg', 'sha256'), sha256)
  stub(() => Promise.reject(new Error('was downloaded')))
  await installFfmpeg({ python, toolsDir, log: () => {} })
})
