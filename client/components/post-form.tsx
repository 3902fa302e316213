import type { ComponentProps } from 'react'
import type { PageContext } from '../../src/web/contract.ts'

interface PostFormProps extends Omit<ComponentProps<'form'>, 'method'> {
  context: Pick<PageContext, 'csrf_token'>
}

/** A form that changes something: it is posted with the token that the server requires. */
export function PostForm({ context, children, ...form }: PostFormProps) {
  return (
    <form method="post" {...form}>
      <input type="hidden" name="csrf_token" value={context.csrf_token} />
      {children}
    </form>
  )
}
