import type { Schema } from '../operation.ts'
import { ACCOUNT_SCHEMAS } from './account-schemas.ts'
import { FIELD_SCHEMAS } from './field-schemas.ts'
import { ITEM_SCHEMAS } from './item-schemas.ts'
import { OPERATE_SCHEMAS } from './operate-schemas.ts'
import { REPORT_SCHEMAS } from './report-schemas.ts'
import { SITE_SCHEMAS } from './site-schemas.ts'

/** Every schema that has a name. */
export const SCHEMAS: Record<string, Schema> = {
  ...FIELD_SCHEMAS,
  ...ITEM_SCHEMAS,
  ...ACCOUNT_SCHEMAS,
  ...SITE_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...OPERATE_SCHEMAS,
}
