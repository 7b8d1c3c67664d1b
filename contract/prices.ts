import { integer, nullable, number, object, record, text } from './schema.ts'

/** What one coin of each chain is worth in the currencies that people know. */
export const Prices = object({
  asOf: nullable(integer(), 'When they were so, in Unix seconds; null where none is known.'),
  source: nullable(text(), 'Who says so; null where that is not said.'),
  rates: record(
    record(number(), 'By currency (ISO 4217).'),
    'By blockchain, what one coin is worth. Approximate: no charge ever depends on it.',
  ),
})
