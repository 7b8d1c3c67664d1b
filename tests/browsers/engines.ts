import { launchChromium, launchFirefox } from '../kit/launch-browser.ts'
import { launchWebKit } from './launch-web-kit.ts'
import { openByPlaywright } from './open-by-playwright.ts'

/** The engines that Chromium's own tests leave: the console runs in Chromium elsewhere. */
export const OTHER_ENGINES = [
  ['Firefox', () => openByPlaywright(launchFirefox())],
  ['WebKit', launchWebKit],
] as const

export const ENGINES = [['Chromium', () => openByPlaywright(launchChromium())], ...OTHER_ENGINES] as const
