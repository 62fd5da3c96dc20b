import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { refusals } from '../../../domain/codes/refusals.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** The keys of an account in the console, and the console with a key that may not do everything. */
const site = product()
const browser = browserFor(site)
let page: Page
let client: AccountClient

interface Made {
  keyId: string
  apiKey: string
}

const makeKey = (terms: object): Promise<Made> => client.post<Made>('/keys', { name: 'a key', ...terms })

/** Opens the console with a key, and its keys. */
const openKeys = async (apiKey = client.apiKey): Promise<void> => {
  await browser.openConsole(page, apiKey)
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
}

const cardOf = (name: string): Locator => page.locator('.key').filter({ has: page.getByRole('heading', { name }) })
const press = (key: Locator, name: string): Promise<void> => key.getByRole('button', { name: `${name}: ` }).click()
const nameField = (): Locator => page.locator('.key-form').getByLabel('Name')
const announcement = (): Promise<string | null> => page.locator('#announcement').textContent()
const focused = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.textContent)

/** Waits until the service, and not only the page, has the list. */
const storedKeys = async () => (await client.request('GET', '/keys')).body.data.keys

beforeEach(async () => {
  client = await site.newClient({ name: 'Ada' })
  page = await browser.newTab({ permissions: ['clipboard-read', 'clipboard-write'], timezoneId: 'Europe/Paris' })
})

test('the list shows what each key may do, has spent and is used for, and which one the console uses', async () => {
  const { apiKey } = await makeKey({
    ...{ name: 'podcast job', scopes: ['read', 'import'], dollarsPerMonth: 5 },
    ...{ expiresAt: '2027-12-31T22:00:00Z', allowedOrigins: ['https://app.example'] },
  })
  await site
    .clientWith(apiKey)
    .request('POST', '/import', { url: site.media('generated/30000000.mp4?ratePerSecond=1000000') })
  await openKeys()
  const own = cardOf('A key made by an operator')
  await own.waitFor()
  expect(await own.locator('.key-state').textContent()).toBe('Used by this console')
  expect(await own.getByRole('list', { name: 'Scopes' }).getByRole('listitem').allTextContents()).toEqual([
    ...['read', 'import', 'transcribe', 'manage'],
  ])
  expect(await own.getByRole('meter').count()).toBe(0)
  expect(await own.locator('.key-spent').textContent()).toBe('$0.00 this month')
  // The beginning of the first key of an account is not stored.
  expect(await own.locator('code').textContent()).toBe(`${client.apiKey.slice(0, -57)}…`)

  const other = cardOf('podcast job')
  expect(await other.locator('.key-state').isVisible()).toBe(false)
  expect(await other.getByRole('listitem').allTextContents()).toEqual(['read', 'import'])
  expect(await other.locator('.key-spent').textContent()).toBe('$0.30 of $5.00 this month, $0.30 of it held for jobs')
  const bar = other.getByRole('meter', { name: 'Budget of this month' })
  expect(await bar.evaluate((meter: HTMLMeterElement) => [meter.value, meter.max])).toEqual([0.3, 5])
  const facts = await other.locator('.key-facts').textContent()
  expect(facts).toContain('for pages of https://app.example')
  expect(facts).toContain('expires Dec 31, 2027')
  expect(facts).toContain('last used just now')
})

test('a key is made with the keyboard, shown once, copied, and gone when the view is left', async () => {
  await openKeys()
  expect(await focused()).toBe('Keys')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.type('upload page')
  for (const scope of ['read', 'import', 'manage'])
    await page.getByRole('checkbox', { name: new RegExp(`^${scope}`) }).uncheck()
  await page.getByLabel('Budget for a month, $').fill('2.5')
  await page.getByLabel('Last day').fill('2027-03-01')
  await page.getByLabel('Origins of the web pages').fill('https://app.example\n\n https://b.example ')
  await nameField().press('Enter')

  const made = page.getByRole('region', { name: 'Copy the key “upload page” now' })
  await made.waitFor()
  expect(await made.textContent()).toContain('It is shown only this once.')
  expect(await focused()).toBe('Copy')
  expect(await announcement()).toContain('shown only this once')
  const apiKey = `${await made.locator('code').textContent()}`
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('#announcement')?.textContent === 'The key was copied.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(apiKey)
  const [stored] = (await storedKeys()).filter(({ name }: { name: string }) => name === 'upload page')
  expect(stored).toMatchObject({
    ...{ scopes: ['transcribe'], dollarsPerMonth: 2.5, expiresAt: '2027-03-01T22:59:59.000Z' },
    allowedOrigins: ['https://app.example', 'https://b.example'],
  })
  expect((await site.clientWith(apiKey).request('GET', '/jobs')).status).toBe(200)

  const traces = () =>
    page.evaluate((key) => {
      const kept = [document.documentElement.outerHTML, location.href, JSON.stringify(history.state), document.cookie]
      return [...kept, ...Object.values(sessionStorage), ...Object.values(localStorage)].some((text) =>
        text.includes(key),
      )
    }, apiKey)
  expect(await traces()).toBe(true)
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByLabel('Media URL').waitFor()
  expect(await traces()).toBe(false)
  await page.goBack()
  await cardOf('upload page').waitFor()
  expect(await traces()).toBe(false)
})

test('where the browser has no clipboard, the page says what to do, and a page that is kept for “Back” has no key', async () => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await openKeys()
  await page.getByRole('button', { name: 'New key' }).click()
  await nameField().fill('copied by hand')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('alert').filter({ hasText: 'Select the key and copy it.' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.locator('.made-key').count()).toBe(0)
  expect(await focused()).toBe('New key')
  await page.keyboard.press('Enter')
  await nameField().fill('short')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.locator('.made-key').waitFor()
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  expect(await page.locator('.made-key').count()).toBe(0)
})

test('what is wrong with a new key is said in the form, which keeps its values', async () => {
  await openKeys()
  await page.getByRole('button', { name: 'New key' }).click()
  const form = page.getByRole('form', { name: 'A new key' })
  const problem = form.getByRole('alert')
  await form.getByLabel('Origins of the web pages').fill('http://app.example')
  await form.getByLabel('Budget for a month, $').fill('-1')
  await form.getByRole('button', { name: 'Make the key' }).click()
  await problem.filter({ hasText: 'INVALID_REQUEST' }).waitFor()
  const text = await problem.textContent()
  for (const part of ['name: ', 'dollarsPerMonth: ', 'allowedOrigins.0: must be an origin'])
    expect(text).toContain(part)
  expect(
    await form.locator('[aria-invalid="true"]').evaluateAll((all) => all.map((each) => Reflect.get(each, 'name'))),
  ).toEqual([...['name', 'dollarsPerMonth', 'allowedOrigins']])
  expect(await page.evaluate(() => Reflect.get(document.activeElement ?? {}, 'name'))).toBe('name')
  expect(await form.getByLabel('Origins of the web pages').inputValue()).toBe('http://app.example')

  // A number field gives what it cannot read as nothing, which would be a key without a limit.
  await form.getByLabel('Budget for a month, $').fill('')
  await form.getByLabel('Budget for a month, $').pressSequentially('1e')
  await form.getByRole('button', { name: 'Make the key' }).click()
  await problem.filter({ hasText: 'Enter an amount of dollars.' }).waitFor()
  expect(await storedKeys()).toHaveLength(1)
})

test('a key is changed, and only what was changed is sent', async () => {
  await makeKey({ name: 'old name', dollarsPerMonth: 1, expiresAt: '2027-06-01T08:30:00Z' })
  await openKeys()
  await press(cardOf('old name'), 'Change')
  const form = page.getByRole('form', { name: 'Change old name' })
  expect(await form.getByLabel('Last day').inputValue()).toBe('2027-06-01')
  await form.getByLabel('Name').fill('new name')
  await form.getByLabel('Budget for a month, $').fill('')
  await form.getByRole('checkbox', { name: /^manage/ }).uncheck()
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await form.getByRole('button', { name: 'Save' }).click()
  expect((await sent).postDataJSON()).toEqual({
    ...{ name: 'new name', dollarsPerMonth: null, scopes: ['read', 'import', 'transcribe'] },
  })
  const card = cardOf('new name')
  await card.waitFor()
  expect(await card.getByRole('listitem').allTextContents()).toEqual(['read', 'import', 'transcribe'])
  await expect.poll(focused).toBe('Change')
  await press(card, 'Change')
  await page.getByRole('form').getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('form').count()).toBe(0)
  expect(await focused()).toBe('Change')
})

test('removing a key asks for a confirmation that names it, and a refusal is shown at the key', async () => {
  const { apiKey } = await makeKey({ name: 'old laptop', scopes: ['read'] })
  await openKeys()
  const own = cardOf('A key made by an operator')
  await press(own, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await own.getByRole('alert').filter({ hasText: refusals.LAST_KEY.message }).waitFor()
  await press(cardOf('old laptop'), 'Remove')
  const dialog = page.getByRole('dialog')
  expect(await dialog.textContent()).toContain(`“old laptop” (${apiKey.slice(0, -53)}…)`)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await site.clientWith(apiKey).request('GET', '/account')).status).toBe(200)
  await press(cardOf('old laptop'), 'Remove')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await cardOf('old laptop').waitFor({ state: 'detached' })
  expect(await announcement()).toBe('old laptop was removed.')
  expect(await focused()).toBe('Keys')
  expect((await site.clientWith(apiKey).request('GET', '/account')).status).toBe(401)
})

test('whoever removes the key of the console is told before, and signed out', async () => {
  const { apiKey } = await makeKey({ name: 'console' })
  await openKeys(apiKey)
  await press(cardOf('console'), 'Remove')
  expect(await page.getByRole('dialog').textContent()).toContain('you are signed out')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
  expect(await page.getByRole('link', { name: 'Keys' }).isVisible()).toBe(false)
})

const all = ['read', 'import', 'transcribe', 'manage']
const OWN = 'It sees only the jobs that it has started itself, and no balance.'

test.each([
  [['import'], `This key may only import. ${OWN} It starts no transcriptions. It removes nothing that has ended.`, []],
  [['transcribe'], `This key may only transcribe. ${OWN} It starts no imports. It removes nothing that has ended.`, []],
  [['read'], 'This key may only read. It starts no jobs. It removes nothing that has ended.', []],
  [['manage'], 'This key may only manage. It sees no jobs, and no balance. It starts no jobs.', null],
  [all, '', ['Transcribe', 'Remove']],
])('the console of a key with a budget and the scopes %j offers what it may do', async (scopes, limits, actions) => {
  const { apiKey } = await makeKey({ scopes, dollarsPerMonth: 1 })
  const [reads, imports, transcribes] = ['read', 'import', 'transcribe'].map((scope) => scopes.includes(scope))
  if (!imports || reads) await client.ended(await client.start({ url: site.media() }))
  await browser.openConsole(page, apiKey)
  await page.getByText(`${limits} It manages no keys.`.trim(), { exact: true }).waitFor()
  expect(await page.locator('#available').isVisible()).toBe(reads)
  const start = page.getByRole('button', { name: 'Start', exact: true })
  expect(await start.isVisible()).toBe(imports || transcribes)
  const isEnabled = (name: string) => page.getByRole('radio', { name, exact: true }).isEnabled()
  if (imports || transcribes)
    expect([await isEnabled('Video'), await isEnabled('Transcript only'), await isEnabled('A file')]).toEqual([
      ...[imports, transcribes, transcribes],
    ])
  expect(await page.getByLabel('Captions', { exact: true }).isEnabled()).toBe(transcribes)
  // Without the scope read, it sees what it has started itself.
  if (!reads && (imports || transcribes)) {
    await page.getByText('No jobs yet').waitFor()
    await page.getByLabel('Media URL').fill(imports ? site.media() : site.media('page/video.html'))
    await start.click()
    await page.locator('.job-state', { hasText: 'Completed' }).waitFor()
    await page.reload()
  }
  if (actions) await page.locator('.job-state', { hasText: 'Completed' }).waitFor()
  expect(await page.locator('.job').count()).toBe(actions ? 1 : 0)
  expect(await page.getByText('No jobs yet').isVisible()).toBe(false)
  const shown = async () => {
    const found = await page.locator('.job').getByRole('button').allTextContents()
    return found.filter((name) => ['Transcribe', 'Remove', 'Run again'].includes(name))
  }
  // The buttons of a completed job come with its result.
  await expect.poll(shown).toEqual(actions ?? [])
  await page.getByRole('link', { name: 'Keys' }).click()
  await page
    .getByText('Only a full key, which has all scopes and no budget, expiry or origins, manages keys.')
    .waitFor()
  expect(await page.getByRole('button', { name: 'New key' }).isVisible()).toBe(false)
  expect(await page.locator('.key').count()).toBe(0)
  expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)
})

test('when the console takes a scope from its own key, it offers no more than is left', async () => {
  const { apiKey } = await makeKey({ name: 'console' })
  await openKeys(apiKey)
  const own = cardOf('console')
  await press(own, 'Change')
  await own.getByRole('checkbox', { name: /^manage/ }).uncheck()
  await own.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This key may only read and import and transcribe.').waitFor()
  await page.getByText('Only a full key, which has').waitFor()
  expect(await page.getByRole('button', { name: 'New key' }).isVisible()).toBe(false)
})

test('where nothing costs anything, no balance and no ceiling is shown, and a quote is accepted as it is', async () => {
  await site.operator().request('PATCH', `/admin/accounts/${client.accountId}`, { prices: 'free' })
  await browser.openConsole(page, client.apiKey)
  await page.locator('#an-hour', { hasText: '240' }).waitFor()
  expect(await page.locator('#available').isVisible()).toBe(false)
  await page.getByRole('radio', { name: 'Transcript only', exact: true }).check({ force: true })
  expect(
    await page
      .getByLabel(/^Maximum cost/)
      .filter({ visible: true })
      .count(),
  ).toBe(0)
  await page.getByRole('combobox', { name: 'Transcript from' }).selectOption('Existing captions')
  await page.getByLabel('Media URL').fill(site.media('media/faststart.mp4'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByRole('button', { name: 'Video free' }).waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const job = page.locator('.job').first()
  await job.getByText('TRANSCRIPTION_PROVIDER_REQUIRED').waitFor()
  await job.getByRole('button', { name: 'Recognize the speech for free' }).click()
  const sent = page.waitForRequest((request) => request.url().endsWith('/transcribe'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect((await sent).postDataJSON()).toEqual({ url: site.media('media/faststart.mp4'), provider: 'builtin' })
  await page.locator('.job').nth(1).waitFor()
})

const screens = [
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 320, height: 640 }],
] as const

test.each(screens)(
  'in %s, axe finds nothing on the keys and their forms, and nothing is too wide',
  async (colorScheme, viewport) => {
    await makeKey({
      ...{ name: 'a key with a name that is too long for a phone', scopes: ['transcribe'], dollarsPerMonth: 5 },
      allowedOrigins: ['https://app.example', 'https://a-long-name.of-an-origin.example'],
    })
    page = await browser.newTab({ viewport, colorScheme })
    await openKeys()
    await page.locator('.key').nth(1).waitFor()
    await press(cardOf('a key with a name'), 'Change')
    await page.getByRole('button', { name: 'New key' }).click()
    expect(await faultsOf(page)).toEqual([])
    await nameField().first().fill('x')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.locator('.made-key').waitFor()
    expect(await faultsOf(page)).toEqual([])
  },
)
