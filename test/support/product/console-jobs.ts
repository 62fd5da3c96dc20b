/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'

/** Starts a job in the console and returns its element in the list. */
export const startJob = async (page: Page, url: string, what = 'Video'): Promise<Locator> => {
  const before = await page.locator('.job').count()
  await page.getByLabel('Media URL').fill(url)
  await page.getByRole('radio', { name: what, exact: true }).check({ force: true })
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const job = page.locator('.job').first()
  await page.locator('.job').nth(before).waitFor()
  return page.locator(`.job[data-job="${await job.getAttribute('data-job')}"]`)
}

export const stateOf = (job: Locator, state: string): Promise<void> =>
  job.locator('.job-state', { hasText: new RegExp(`^${state}$`) }).waitFor()

export const press = (job: Locator, name: string): Promise<void> =>
  job.getByRole('button', { name: `${name}: ` }).click()

/** Resolves when a media element has data for its current position. */
export const canPlay = (element: Locator): Promise<unknown> =>
  element.evaluate(async (media: HTMLMediaElement) => {
    while (media.readyState < 2) await new Promise((resolve) => media.addEventListener('loadeddata', resolve))
  })
