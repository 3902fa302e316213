/*
 * Names of characters in HTML, as in "&eacute;" (https://html.spec.whatwg.org/#named-character-references): all those of
 * HTML 4, and of the others those of one character before the arrows (U+2190): letters, accents, punctuation and
 * currencies. The other 1,400 are mathematical symbols and the like; no class is named with them. A line has a
 * character's code point, its names, and those of the characters that follow it.
 */

/** Names that also count where the semicolon is missing. */
export const NAMES_WITHOUT_SEMICOLON = `
22 quot QUOT
26 amp AMP
3c lt LT
3e gt GT
a0 nbsp, iexcl, cent, pound, curren, yen, brvbar, sect, uml, copy COPY, ordf, laquo, not, shy, reg REG, macr, deg
b1 plusmn, sup2, sup3, acute, micro, para, middot, cedil, sup1, ordm, raquo, frac14, frac12, frac34, iquest, Agrave
c1 Aacute, Acirc, Atilde, Auml, Aring, AElig, Ccedil, Egrave, Eacute, Ecirc, Euml, Igrave, Iacute, Icirc, Iuml, ETH
d1 Ntilde, Ograve, Oacute, Ocirc, Otilde, Ouml, times, Oslash, Ugrave, Uacute, Ucirc, Uuml, Yacute, THORN, szlig
e0 agrave, aacute, acirc, atilde, auml, aring, aelig, ccedil, egrave, eacute, ecirc, euml, igrave, iacute, icirc, iuml
f0 eth, ntilde, ograve, oacute, ocirc, otilde, ouml, divide, oslash, ugrave, uacute, ucirc, uuml, yacute, thorn, yuml`

export const NAMES = `
9 Tab, NewLine
21 excl
23 num, dollar, percnt
27 apos, lpar, rpar, ast midast, plus, comma
2e period, sol
3a colon, semi
3d equals
3f quest, commat
5b lsqb lbrack, bsol, rsqb rbrack, Hat, lowbar UnderBar, grave DiacriticalGrave
7b lcub lbrace, vert verbar VerticalLine, rcub rbrace
a0 NonBreakingSpace
a8 Dot die DoubleDot
ae circledR, strns
b1 pm PlusMinus
b4 DiacriticalAcute
b7 CenterDot centerdot, Cedilla
bd half
c5 angst
f7 div
100 Amacr, amacr, Abreve, abreve, Aogon, aogon, Cacute, cacute, Ccirc, ccirc, Cdot, cdot, Ccaron, ccaron, Dcaron
10f dcaron, Dstrok, dstrok, Emacr, emacr
116 Edot, edot, Eogon, eogon, Ecaron, ecaron, Gcirc, gcirc, Gbreve, gbreve, Gdot, gdot, Gcedil
124 Hcirc, hcirc, Hstrok, hstrok, Itilde, itilde, Imacr, imacr
12e Iogon, iogon, Idot, imath inodot, IJlig, ijlig, Jcirc, jcirc, Kcedil, kcedil, kgreen, Lacute, lacute, Lcedil
13c lcedil, Lcaron, lcaron, Lmidot, lmidot, Lstrok, lstrok, Nacute, nacute, Ncedil, ncedil, Ncaron, ncaron, napos, ENG
14b eng, Omacr, omacr
150 Odblac, odblac, OElig, oelig, Racute, racute, Rcedil, rcedil, Rcaron, rcaron, Sacute, sacute, Scirc, scirc, Scedil
15f scedil, Scaron, scaron, Tcedil, tcedil, Tcaron, tcaron, Tstrok, tstrok, Utilde, utilde, Umacr, umacr, Ubreve
16d ubreve, Uring, uring, Udblac, udblac, Uogon, uogon, Wcirc, wcirc, Ycirc, ycirc, Yuml, Zacute, zacute, Zdot, zdot
17d Zcaron, zcaron
192 fnof
1b5 imped
1f5 gacute
237 jmath
2c6 circ, Hacek caron
2d8 Breve breve, dot DiacriticalDot, ring, ogon, tilde DiacriticalTilde, dblac DiacriticalDoubleAcute
311 DownBreve
391 Alpha, Beta, Gamma, Delta, Epsilon, Zeta, Eta, Theta, Iota, Kappa, Lambda, Mu, Nu, Xi, Omicron, Pi, Rho
3a3 Sigma, Tau, Upsilon, Phi, Chi, Psi, Omega ohm
3b1 alpha, beta, gamma, delta, epsilon epsi, zeta, eta, theta, iota, kappa, lambda, mu, nu, xi, omicron, pi, rho
3c2 sigmaf sigmav varsigma, sigma, tau, upsilon upsi, phi, chi, psi, omega
3d1 thetasym thetav vartheta, upsih Upsi
3d5 phiv varphi straightphi, piv varpi
3dc Gammad, gammad digamma
3f0 kappav varkappa, rhov varrho
3f5 epsiv varepsilon straightepsilon, bepsi backepsilon
401 IOcy, DJcy, GJcy, Jukcy, DScy, Iukcy, YIcy, Jsercy, LJcy, NJcy, TSHcy, KJcy
40e Ubrcy, DZcy, Acy, Bcy, Vcy, Gcy, Dcy, IEcy, ZHcy, Zcy, Icy, Jcy, Kcy, Lcy, Mcy, Ncy, Ocy, Pcy, Rcy, Scy, Tcy, Ucy
424 Fcy, KHcy, TScy, CHcy, SHcy, SHCHcy, HARDcy, Ycy, SOFTcy, Ecy, YUcy, YAcy, acy, bcy, vcy, gcy, dcy, iecy, zhcy
437 zcy, icy, jcy, kcy, lcy, mcy, ncy, ocy, pcy, rcy, scy, tcy, ucy, fcy, khcy, tscy, chcy, shcy, shchcy, hardcy, ycy
44c softcy, ecy, yucy, yacy
451 iocy, djcy, gjcy, jukcy, dscy, iukcy, yicy, jsercy, ljcy, njcy, tshcy, kjcy
45e ubrcy, dzcy
2002 ensp, emsp, emsp13, emsp14
2007 numsp, puncsp, thinsp ThinSpace, hairsp VeryThinSpace
200b ZeroWidthSpace NegativeThinSpace NegativeThickSpace NegativeMediumSpace NegativeVeryThinSpace, zwnj, zwj, lrm
200f rlm, dash hyphen
2013 ndash, mdash, horbar, Vert Verbar
2018 lsquo OpenCurlyQuote, rsquo rsquor CloseCurlyQuote, sbquo lsquor
201c ldquo OpenCurlyDoubleQuote, rdquo rdquor CloseCurlyDoubleQuote, bdquo ldquor
2020 dagger, Dagger ddagger, bull bullet
2025 nldr, hellip mldr
2030 permil, pertenk, prime, Prime, tprime, bprime backprime
2039 lsaquo, rsaquo
203e oline OverBar
2041 caret
2043 hybull, frasl
204f bsemi
2057 qprime
205f MediumSpace, NoBreak, af ApplyFunction, it InvisibleTimes, ic InvisibleComma
20ac euro
20db tdot TripleDot, DotDot
2102 Copf complexes
2105 incare
210a gscr, Hscr hamilt HilbertSpace, Hfr Poincareplane, Hopf quaternions, planckh, hbar hslash planck plankv
2110 Iscr imagline, image Im Ifr imagpart, Lscr lagran Laplacetrf, ell
2115 Nopf naturals, numero, copysr, weierp wp, Popf primes, Qopf rationals, Rscr realine, real Re Rfr realpart
211d Ropf reals, rx
2122 trade TRADE
2124 Zopf integers
2127 mho, Zfr zeetrf, iiota
212c Bscr bernou Bernoullis, Cfr Cayleys
212f escr, Escr expectation, Fscr Fouriertrf
2133 Mscr phmmat Mellintrf, oscr order orderof, alefsym aleph, beth, gimel, daleth
2145 CapitalDifferentialD DD, dd DifferentialD, ee ExponentialE exponentiale, ii ImaginaryI
2153 frac13, frac23, frac15, frac25, frac35, frac45, frac16, frac56, frac18, frac38, frac58, frac78
2190 larr, uarr, rarr, darr, harr
21b5 crarr
21d0 lArr, uArr, rArr, dArr, hArr
2200 forall
2202 part, exist
2205 empty
2207 nabla, isin, notin
220b ni
220f prod
2211 sum, minus
2217 lowast
221a radic
221d prop, infin
2220 ang
2227 and, or, cap, cup, int
2234 there4
223c sim
2245 cong
2248 asymp
2260 ne, equiv
2264 le, ge
2282 sub, sup, nsub
2286 sube, supe
2295 oplus
2297 otimes
22a5 perp
22c5 sdot
2308 lceil, rceil, lfloor, rfloor
25ca loz
2660 spades
2663 clubs
2665 hearts, diams
27e8 lang, rang`
