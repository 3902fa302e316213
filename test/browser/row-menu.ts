import type { Locator, Page } from 'playwright-core'

/** Presses an item in the menu of the first row there. */
export async function chooseInMenu(within: Page | Locator, item: string): Promise<void> {
  await within
    .getByRole('button', { name: /^More for / })
    .first()
    .click()
  await within.getByRole('button', { name: item, exact: true }).click()
}
