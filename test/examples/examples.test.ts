import { describe } from 'vitest'
import { productForExamples } from './product.ts'
import { testUploadPage } from './upload-page.ts'
import { testWebhookToFile } from './webhook-to-file.ts'

/** In one file, because they share one running product. */
const product = productForExamples()

describe('examples/webhook-to-file', () => testWebhookToFile(product))
describe('examples/upload-page', () => testUploadPage(product))
