import type { Texts } from '../en/texts.ts'
import type { TextTools } from '../tools.ts'
import { door } from './door.ts'
import { frame } from './frame.ts'
import { library } from './library.ts'
import { money } from './money.ts'
import { order } from './order.ts'
import { store } from './store.ts'

/** The texts of the first load in Spanish. */
export const texts = (tools: TextTools): Texts => ({
  ...frame(tools),
  ...door(tools),
  ...store(tools),
  ...order(tools),
  ...library(tools),
  ...money(tools),
})
