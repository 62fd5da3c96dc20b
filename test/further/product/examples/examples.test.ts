import { describe } from 'vitest'
import { testN8n } from './n8n/n8n.ts'
import { testPodcastWorker } from './podcast-worker.ts'
import { productForExamples } from './product.ts'
import { testUploadPage } from './upload-page.ts'
import { testWebhookToFile } from './webhook-to-file.ts'

/** In one file, because they share one running product. */
const product = productForExamples()

describe('examples/webhook-to-file', () => testWebhookToFile(product))
describe('examples/podcast-worker', () => testPodcastWorker(product))
describe('examples/upload-page', () => testUploadPage(product))
describe('examples/n8n', () => testN8n(product))
