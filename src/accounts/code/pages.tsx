import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { contextOf, showPage } from '../../web/page/page.tsx'
import type { SiteContext } from '../../web/site.ts'
import { withNext } from '../next.ts'
import { FormPage, TextInput } from '../pages/form-page.tsx'
import { noErrors, showForm } from '../pages/show-form.tsx'
import { codeLoginPath, loginPath, signUpPath, confirmCodePath } from '../paths.ts'

export function showRequest(
  c: SiteContext,
  { email, next }: { email: string; next: string },
  { errors, status } = noErrors,
): Promise<Response> {
  return showForm(c, {
    page: 'RequestLoginCode',
    title: 'Log in with a code',
    lead: 'We will email you a code that logs you in without a password.',
    action: codeLoginPath,
    submit: 'Send code',
    status,
    errors,
    next,
    links: [
      { href: withNext(loginPath, next), label: 'Log in with a password' },
      { href: withNext(signUpPath, next), label: 'Sign up' },
    ],
    children: (
      <TextInput name="email" label="Email address" type="email" autoComplete="email" value={email} errors={errors} />
    ),
  })
}

export function showConfirm(c: SiteContext, address: string, { errors, status } = noErrors): Promise<Response> {
  const context = contextOf(c)
  return showPage(c, {
    page: 'ConfirmLoginCode',
    title: 'Enter your code',
    status,
    errors,
    body: (
      <>
        <FormPage
          context={context}
          title="Enter your code"
          lead={`If ${address} belongs to an account, we have sent a code to it. It works for 3 minutes, in this browser.`}
          action={confirmCodePath}
          submit="Log in"
          errors={errors}
        >
          <TextInput
            name="code"
            label="Code"
            help="Eight letters; dashes and case do not matter."
            autoComplete="one-time-code"
            autoCapitalize="characters"
            maxLength={40}
            autoFocus
            errors={errors}
          />
        </FormPage>
        <PostForm context={context} className="narrow row form-after" action={confirmCodePath}>
          <Button kind="quiet" type="submit" name="action" value="resend">
            Send another code
          </Button>
          <a className="small" href={codeLoginPath}>
            Use another address
          </a>
        </PostForm>
      </>
    ),
  })
}
