-- A listing is text that a dealership wrote, so it may carry the dealership's own name or contact. Such a
-- part is treated as unknown, for everyone, and that is settled here, where it is written: a reader who
-- may not know the names could not do it, and every writer passes these triggers.
--
-- Text is compared after decoding HTML entities, Unicode NFKC, full case folding, and dropping what is
-- neither letter nor digit. A dealership is recognised by
--   whole keys: its name, the host of its website, its e-mail address, its telephone number. Each must be
--     a run of whole words of the part ("Honda of Fremont" is found in "HONDA-OF-FREMONT special", and
--     does not make "Honda" a name); a key of one or two characters must be the whole part, and so must a
--     name that has neither letter nor digit;
--   loose keys: what is too long to appear by chance (telephone numbers of ten digits, e-mail addresses,
--     names of several words and at least ten characters). These count anywhere, glued to other text too.
-- Look-alike letters of other alphabets are not recognised.

-- The named character references of HTML. Those that stand for a letter or digit carry it; the others
-- only separate words.
CREATE TABLE html_entity (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  -- Browsers accept a few without the closing semicolon.
  is_legacy boolean NOT NULL DEFAULT false
);
INSERT INTO html_entity (name, value)
SELECT split_part(pair, '=', 1), split_part(pair, '=', 2)
FROM regexp_split_to_table('
AElig=Æ Aacute=Á Abreve=Ă Acirc=Â Acy=А Afr=𝔄 Agrave=À Alpha=Α Amacr=Ā Aogon=Ą Aopf=𝔸 Aring=Å Ascr=𝒜
Atilde=Ã Auml=Ä Bcy=Б Bernoullis=ℬ Beta=Β Bfr=𝔅 Bopf=𝔹 Bscr=ℬ CHcy=Ч Cacute=Ć CapitalDifferentialD=ⅅ
Cayleys=ℭ Ccaron=Č Ccedil=Ç Ccirc=Ĉ Cdot=Ċ Cfr=ℭ Chi=Χ Copf=ℂ Cscr=𝒞 DD=ⅅ DJcy=Ђ DScy=Ѕ DZcy=Џ Dcaron=Ď Dcy=Д
Delta=Δ Dfr=𝔇 DifferentialD=ⅆ Dopf=𝔻 Dscr=𝒟 Dstrok=Đ ENG=Ŋ ETH=Ð Eacute=É Ecaron=Ě Ecirc=Ê Ecy=Э Edot=Ė
Efr=𝔈 Egrave=È Emacr=Ē Eogon=Ę Eopf=𝔼 Epsilon=Ε Escr=ℰ Eta=Η Euml=Ë ExponentialE=ⅇ Fcy=Ф Ffr=𝔉 Fopf=𝔽
Fouriertrf=ℱ Fscr=ℱ GJcy=Ѓ Gamma=Γ Gammad=Ϝ Gbreve=Ğ Gcedil=Ģ Gcirc=Ĝ Gcy=Г Gdot=Ġ Gfr=𝔊 Gopf=𝔾 Gscr=𝒢
HARDcy=Ъ Hacek=ˇ Hcirc=Ĥ Hfr=ℌ HilbertSpace=ℋ Hopf=ℍ Hscr=ℋ Hstrok=Ħ IEcy=Е IJlig=Ĳ IOcy=Ё Iacute=Í Icirc=Î
Icy=И Idot=İ Ifr=ℑ Igrave=Ì Im=ℑ Imacr=Ī ImaginaryI=ⅈ Iogon=Į Iopf=𝕀 Iota=Ι Iscr=ℐ Itilde=Ĩ Iukcy=І Iuml=Ï
Jcirc=Ĵ Jcy=Й Jfr=𝔍 Jopf=𝕁 Jscr=𝒥 Jsercy=Ј Jukcy=Є KHcy=Х KJcy=Ќ Kappa=Κ Kcedil=Ķ Kcy=К Kfr=𝔎 Kopf=𝕂
Kscr=𝒦 LJcy=Љ Lacute=Ĺ Lambda=Λ Laplacetrf=ℒ Lcaron=Ľ Lcedil=Ļ Lcy=Л Lfr=𝔏 Lmidot=Ŀ Lopf=𝕃 Lscr=ℒ Lstrok=Ł
Mcy=М Mellintrf=ℳ Mfr=𝔐 Mopf=𝕄 Mscr=ℳ Mu=Μ NJcy=Њ Nacute=Ń Ncaron=Ň Ncedil=Ņ Ncy=Н Nfr=𝔑 Nopf=ℕ Nscr=𝒩
Ntilde=Ñ Nu=Ν OElig=Œ Oacute=Ó Ocirc=Ô Ocy=О Odblac=Ő Ofr=𝔒 Ograve=Ò Omacr=Ō Omega=Ω Omicron=Ο Oopf=𝕆
Oscr=𝒪 Oslash=Ø Otilde=Õ Ouml=Ö Pcy=П Pfr=𝔓 Phi=Φ Pi=Π Poincareplane=ℌ Popf=ℙ Pscr=𝒫 Psi=Ψ Qfr=𝔔 Qopf=ℚ
Qscr=𝒬 Racute=Ŕ Rcaron=Ř Rcedil=Ŗ Rcy=Р Re=ℜ Rfr=ℜ Rho=Ρ Ropf=ℝ Rscr=ℛ SHCHcy=Щ SHcy=Ш SOFTcy=Ь Sacute=Ś
Scaron=Š Scedil=Ş Scirc=Ŝ Scy=С Sfr=𝔖 Sigma=Σ Sopf=𝕊 Sscr=𝒮 THORN=Þ TRADE=™ TSHcy=Ћ TScy=Ц Tau=Τ Tcaron=Ť
Tcedil=Ţ Tcy=Т Tfr=𝔗 Theta=Θ Topf=𝕋 Tscr=𝒯 Tstrok=Ŧ Uacute=Ú Ubrcy=Ў Ubreve=Ŭ Ucirc=Û Ucy=У Udblac=Ű Ufr=𝔘
Ugrave=Ù Umacr=Ū Uogon=Ų Uopf=𝕌 Upsi=ϒ Upsilon=Υ Uring=Ů Uscr=𝒰 Utilde=Ũ Uuml=Ü Vcy=В Vfr=𝔙 Vopf=𝕍 Vscr=𝒱
Wcirc=Ŵ Wfr=𝔚 Wopf=𝕎 Wscr=𝒲 Xfr=𝔛 Xi=Ξ Xopf=𝕏 Xscr=𝒳 YAcy=Я YIcy=Ї YUcy=Ю Yacute=Ý Ycirc=Ŷ Ycy=Ы Yfr=𝔜
Yopf=𝕐 Yscr=𝒴 Yuml=Ÿ ZHcy=Ж Zacute=Ź Zcaron=Ž Zcy=З Zdot=Ż Zeta=Ζ Zfr=ℨ Zopf=ℤ Zscr=𝒵 aacute=á abreve=ă
acirc=â acy=а aelig=æ afr=𝔞 agrave=à alefsym=ℵ aleph=ℵ alpha=α amacr=ā angst=Å aogon=ą aopf=𝕒 aring=å
ascr=𝒶 atilde=ã auml=ä bcy=б bernou=ℬ beta=β beth=ℶ bfr=𝔟 bopf=𝕓 bscr=𝒷 cacute=ć caron=ˇ ccaron=č ccedil=ç
ccirc=ĉ cdot=ċ cfr=𝔠 chcy=ч chi=χ circ=ˆ circledS=Ⓢ complexes=ℂ copf=𝕔 cscr=𝒸 daleth=ℸ dcaron=ď dcy=д dd=ⅆ
delta=δ dfr=𝔡 digamma=ϝ djcy=ђ dopf=𝕕 dscr=𝒹 dscy=ѕ dstrok=đ dzcy=џ eacute=é ecaron=ě ecirc=ê ecy=э edot=ė
ee=ⅇ efr=𝔢 egrave=è ell=ℓ emacr=ē eng=ŋ eogon=ę eopf=𝕖 epsi=ε epsilon=ε epsiv=ϵ escr=ℯ eta=η eth=ð euml=ë
expectation=ℰ exponentiale=ⅇ fcy=ф ffilig=ﬃ fflig=ﬀ ffllig=ﬄ ffr=𝔣 filig=ﬁ fjlig=fj fllig=ﬂ fnof=ƒ fopf=𝕗
frac12=½ frac13=⅓ frac14=¼ frac15=⅕ frac16=⅙ frac18=⅛ frac23=⅔ frac25=⅖ frac34=¾ frac35=⅗ frac38=⅜ frac45=⅘
frac56=⅚ frac58=⅝ frac78=⅞ fscr=𝒻 gacute=ǵ gamma=γ gammad=ϝ gbreve=ğ gcirc=ĝ gcy=г gdot=ġ gfr=𝔤 gimel=ℷ
gjcy=ѓ gopf=𝕘 gscr=ℊ half=½ hamilt=ℋ hardcy=ъ hbar=ℏ hcirc=ĥ hfr=𝔥 hopf=𝕙 hscr=𝒽 hslash=ℏ hstrok=ħ
iacute=í icirc=î icy=и iecy=е ifr=𝔦 igrave=ì ii=ⅈ ijlig=ĳ imacr=ī image=ℑ imagline=ℐ imagpart=ℑ imath=ı
imped=Ƶ incare=℅ inodot=ı integers=ℤ iocy=ё iogon=į iopf=𝕚 iota=ι iscr=𝒾 itilde=ĩ iukcy=і iuml=ï jcirc=ĵ
jcy=й jfr=𝔧 jmath=ȷ jopf=𝕛 jscr=𝒿 jsercy=ј jukcy=є kappa=κ kappav=ϰ kcedil=ķ kcy=к kfr=𝔨 kgreen=ĸ khcy=х
kjcy=ќ kopf=𝕜 kscr=𝓀 lacute=ĺ lagran=ℒ lambda=λ lcaron=ľ lcedil=ļ lcy=л lfr=𝔩 ljcy=љ lmidot=ŀ lopf=𝕝
lscr=𝓁 lstrok=ł mcy=м mfr=𝔪 micro=µ mopf=𝕞 mscr=𝓂 mu=μ nacute=ń napos=ŉ naturals=ℕ ncaron=ň ncedil=ņ ncy=н
nfr=𝔫 njcy=њ nopf=𝕟 nscr=𝓃 ntilde=ñ nu=ν numero=№ oS=Ⓢ oacute=ó ocirc=ô ocy=о odblac=ő oelig=œ ofr=𝔬
ograve=ò ohm=Ω omacr=ō omega=ω omicron=ο oopf=𝕠 order=ℴ orderof=ℴ ordf=ª ordm=º oscr=ℴ oslash=ø otilde=õ
ouml=ö pcy=п pfr=𝔭 phi=φ phiv=ϕ phmmat=ℳ pi=π piv=ϖ planck=ℏ planckh=ℎ plankv=ℏ popf=𝕡 primes=ℙ pscr=𝓅
psi=ψ qfr=𝔮 qopf=𝕢 qscr=𝓆 quaternions=ℍ racute=ŕ rationals=ℚ rcaron=ř rcedil=ŗ rcy=р real=ℜ realine=ℛ
realpart=ℜ reals=ℝ rfr=𝔯 rho=ρ rhov=ϱ ropf=𝕣 rscr=𝓇 sacute=ś scaron=š scedil=ş scirc=ŝ scy=с sfr=𝔰
shchcy=щ shcy=ш sigma=σ sigmaf=ς sigmav=ς softcy=ь sopf=𝕤 sscr=𝓈 straightepsilon=ϵ straightphi=ϕ sup1=¹
sup2=² sup3=³ szlig=ß tau=τ tcaron=ť tcedil=ţ tcy=т tfr=𝔱 theta=θ thetasym=ϑ thetav=ϑ thorn=þ topf=𝕥 trade=™
tscr=𝓉 tscy=ц tshcy=ћ tstrok=ŧ uacute=ú ubrcy=ў ubreve=ŭ ucirc=û ucy=у udblac=ű ufr=𝔲 ugrave=ù umacr=ū
uogon=ų uopf=𝕦 upsi=υ upsih=ϒ upsilon=υ uring=ů uscr=𝓊 utilde=ũ uuml=ü varepsilon=ϵ varkappa=ϰ varphi=ϕ
varpi=ϖ varrho=ϱ varsigma=ς vartheta=ϑ vcy=в vfr=𝔳 vopf=𝕧 vscr=𝓋 wcirc=ŵ wfr=𝔴 wopf=𝕨 wscr=𝓌 xfr=𝔵 xi=ξ
xopf=𝕩 xscr=𝓍 yacute=ý yacy=я ycirc=ŷ ycy=ы yfr=𝔶 yicy=ї yopf=𝕪 yscr=𝓎 yucy=ю yuml=ÿ zacute=ź zcaron=ž
zcy=з zdot=ż zeetrf=ℨ zeta=ζ zfr=𝔷 zhcy=ж zopf=𝕫 zscr=𝓏
', '\s+') AS pair WHERE pair <> '';
INSERT INTO html_entity (name, value)
SELECT name, CASE WHEN lower(name) = 'amp' THEN '&' ELSE ' ' END
FROM regexp_split_to_table('
AMP And ApplyFunction Assign Backslash Barv Barwed Because Breve Bumpeq COPY Cap Cconint Cedilla CenterDot
CircleDot CircleMinus CirclePlus CircleTimes ClockwiseContourIntegral CloseCurlyDoubleQuote CloseCurlyQuote
Colon Colone Congruent Conint ContourIntegral Coproduct CounterClockwiseContourIntegral Cross Cup CupCap
DDotrahd Dagger Darr Dashv Del DiacriticalAcute DiacriticalDot DiacriticalDoubleAcute DiacriticalGrave
DiacriticalTilde Diamond Dot DotDot DotEqual DoubleContourIntegral DoubleDot DoubleDownArrow DoubleLeftArrow
DoubleLeftRightArrow DoubleLeftTee DoubleLongLeftArrow DoubleLongLeftRightArrow DoubleLongRightArrow
DoubleRightArrow DoubleRightTee DoubleUpArrow DoubleUpDownArrow DoubleVerticalBar DownArrow DownArrowBar
DownArrowUpArrow DownBreve DownLeftRightVector DownLeftTeeVector DownLeftVector DownLeftVectorBar
DownRightTeeVector DownRightVector DownRightVectorBar DownTee DownTeeArrow Downarrow Element EmptySmallSquare
EmptyVerySmallSquare Equal EqualTilde Equilibrium Esim Exists FilledSmallSquare FilledVerySmallSquare ForAll
GT Gg GreaterEqual GreaterEqualLess GreaterFullEqual GreaterGreater GreaterLess GreaterSlantEqual GreaterTilde
Gt Hat HorizontalLine HumpDownHump HumpEqual Implies Int Integral Intersection InvisibleComma InvisibleTimes
LT Lang Larr LeftAngleBracket LeftArrow LeftArrowBar LeftArrowRightArrow LeftCeiling LeftDoubleBracket
LeftDownTeeVector LeftDownVector LeftDownVectorBar LeftFloor LeftRightArrow LeftRightVector LeftTee
LeftTeeArrow LeftTeeVector LeftTriangle LeftTriangleBar LeftTriangleEqual LeftUpDownVector LeftUpTeeVector
LeftUpVector LeftUpVectorBar LeftVector LeftVectorBar Leftarrow Leftrightarrow LessEqualGreater LessFullEqual
LessGreater LessLess LessSlantEqual LessTilde Ll Lleftarrow LongLeftArrow LongLeftRightArrow LongRightArrow
Longleftarrow Longleftrightarrow Longrightarrow LowerLeftArrow LowerRightArrow Lsh Lt Map MediumSpace
MinusPlus NegativeMediumSpace NegativeThickSpace NegativeThinSpace NegativeVeryThinSpace NestedGreaterGreater
NestedLessLess NewLine NoBreak NonBreakingSpace Not NotCongruent NotCupCap NotDoubleVerticalBar NotElement
NotEqual NotEqualTilde NotExists NotGreater NotGreaterEqual NotGreaterFullEqual NotGreaterGreater
NotGreaterLess NotGreaterSlantEqual NotGreaterTilde NotHumpDownHump NotHumpEqual NotLeftTriangle
NotLeftTriangleBar NotLeftTriangleEqual NotLess NotLessEqual NotLessGreater NotLessLess NotLessSlantEqual
NotLessTilde NotNestedGreaterGreater NotNestedLessLess NotPrecedes NotPrecedesEqual NotPrecedesSlantEqual
NotReverseElement NotRightTriangle NotRightTriangleBar NotRightTriangleEqual NotSquareSubset
NotSquareSubsetEqual NotSquareSuperset NotSquareSupersetEqual NotSubset NotSubsetEqual NotSucceeds
NotSucceedsEqual NotSucceedsSlantEqual NotSucceedsTilde NotSuperset NotSupersetEqual NotTilde NotTildeEqual
NotTildeFullEqual NotTildeTilde NotVerticalBar OpenCurlyDoubleQuote OpenCurlyQuote Or Otimes OverBar OverBrace
OverBracket OverParenthesis PartialD PlusMinus Pr Precedes PrecedesEqual PrecedesSlantEqual PrecedesTilde
Prime Product Proportion Proportional QUOT RBarr REG Rang Rarr Rarrtl ReverseElement ReverseEquilibrium
ReverseUpEquilibrium RightAngleBracket RightArrow RightArrowBar RightArrowLeftArrow RightCeiling
RightDoubleBracket RightDownTeeVector RightDownVector RightDownVectorBar RightFloor RightTee RightTeeArrow
RightTeeVector RightTriangle RightTriangleBar RightTriangleEqual RightUpDownVector RightUpTeeVector
RightUpVector RightUpVectorBar RightVector RightVectorBar Rightarrow RoundImplies Rrightarrow Rsh RuleDelayed
Sc ShortDownArrow ShortLeftArrow ShortRightArrow ShortUpArrow SmallCircle Sqrt Square SquareIntersection
SquareSubset SquareSubsetEqual SquareSuperset SquareSupersetEqual SquareUnion Star Sub Subset SubsetEqual
Succeeds SucceedsEqual SucceedsSlantEqual SucceedsTilde SuchThat Sum Sup Superset SupersetEqual Supset Tab
Therefore ThickSpace ThinSpace Tilde TildeEqual TildeFullEqual TildeTilde TripleDot Uarr Uarrocir UnderBar
UnderBrace UnderBracket UnderParenthesis Union UnionPlus UpArrow UpArrowBar UpArrowDownArrow UpDownArrow
UpEquilibrium UpTee UpTeeArrow Uparrow Updownarrow UpperLeftArrow UpperRightArrow VDash Vbar Vdash Vdashl Vee
Verbar Vert VerticalBar VerticalLine VerticalSeparator VerticalTilde VeryThinSpace Vvdash Wedge ZeroWidthSpace
ac acE acd acute af amalg amp and andand andd andslope andv ang ange angle angmsd angmsdaa angmsdab angmsdac
angmsdad angmsdae angmsdaf angmsdag angmsdah angrt angrtvb angrtvbd angsph angzarr ap apE apacir ape apid apos
approx approxeq ast asymp asympeq awconint awint bNot backcong backepsilon backprime backsim backsimeq barvee
barwed barwedge bbrk bbrktbrk bcong bdquo becaus because bemptyv bepsi between bigcap bigcirc bigcup bigodot
bigoplus bigotimes bigsqcup bigstar bigtriangledown bigtriangleup biguplus bigvee bigwedge bkarow blacklozenge
blacksquare blacktriangle blacktriangledown blacktriangleleft blacktriangleright blank blk12 blk14 blk34 block
bne bnequiv bnot bot bottom bowtie boxDL boxDR boxDl boxDr boxH boxHD boxHU boxHd boxHu boxUL boxUR boxUl
boxUr boxV boxVH boxVL boxVR boxVh boxVl boxVr boxbox boxdL boxdR boxdl boxdr boxh boxhD boxhU boxhd boxhu
boxminus boxplus boxtimes boxuL boxuR boxul boxur boxv boxvH boxvL boxvR boxvh boxvl boxvr bprime breve brvbar
bsemi bsim bsime bsol bsolb bsolhsub bull bullet bump bumpE bumpe bumpeq cap capand capbrcup capcap capcup
capdot caps caret ccaps ccups ccupssm cedil cemptyv cent centerdot check checkmark cir cirE circeq
circlearrowleft circlearrowright circledR circledast circledcirc circleddash cire cirfnint cirmid cirscir
clubs clubsuit colon colone coloneq comma commat comp compfn complement cong congdot conint coprod copy copysr
crarr cross csub csube csup csupe ctdot cudarrl cudarrr cuepr cuesc cularr cularrp cup cupbrcap cupcap cupcup
cupdot cupor cups curarr curarrm curlyeqprec curlyeqsucc curlyvee curlywedge curren curvearrowleft
curvearrowright cuvee cuwed cwconint cwint cylcty dArr dHar dagger darr dash dashv dbkarow dblac ddagger ddarr
ddotseq deg demptyv dfisht dharl dharr diam diamond diamondsuit diams die disin div divide divideontimes
divonx dlcorn dlcrop dollar dot doteq doteqdot dotminus dotplus dotsquare doublebarwedge downarrow
downdownarrows downharpoonleft downharpoonright drbkarow drcorn drcrop dsol dtdot dtri dtrif duarr duhar
dwangle dzigrarr eDDot eDot easter ecir ecolon efDot eg egs egsdot el elinters els elsdot empty emptyset
emptyv emsp emsp13 emsp14 ensp epar eparsl eplus eqcirc eqcolon eqsim eqslantgtr eqslantless equals equest
equiv equivDD eqvparsl erDot erarr esdot esim euro excl exist fallingdotseq female flat fltns forall fork
forkv fpartint frasl frown gE gEl gap ge gel geq geqq geqslant ges gescc gesdot gesdoto gesdotol gesl gesles
gg ggg gl glE gla glj gnE gnap gnapprox gne gneq gneqq gnsim grave gsim gsime gsiml gt gtcc gtcir gtdot gtlPar
gtquest gtrapprox gtrarr gtrdot gtreqless gtreqqless gtrless gtrsim gvertneqq gvnE hArr hairsp harr harrcir
harrw hearts heartsuit hellip hercon hksearow hkswarow hoarr homtht hookleftarrow hookrightarrow horbar hybull
hyphen ic iexcl iff iiiint iiint iinfin iiota imof in infin infintie int intcal intercal intlarhk intprod
iprod iquest isin isinE isindot isins isinsv isinv it lAarr lArr lAtail lBarr lE lEg lHar laemptyv lang langd
langle lap laquo larr larrb larrbfs larrfs larrhk larrlp larrpl larrsim larrtl lat latail late lates lbarr
lbbrk lbrace lbrack lbrke lbrksld lbrkslu lceil lcub ldca ldquo ldquor ldrdhar ldrushar ldsh le leftarrow
leftarrowtail leftharpoondown leftharpoonup leftleftarrows leftrightarrow leftrightarrows leftrightharpoons
leftrightsquigarrow leftthreetimes leg leq leqq leqslant les lescc lesdot lesdoto lesdotor lesg lesges
lessapprox lessdot lesseqgtr lesseqqgtr lessgtr lesssim lfisht lfloor lg lgE lhard lharu lharul lhblk ll llarr
llcorner llhard lltri lmoust lmoustache lnE lnap lnapprox lne lneq lneqq lnsim loang loarr lobrk longleftarrow
longleftrightarrow longmapsto longrightarrow looparrowleft looparrowright lopar loplus lotimes lowast lowbar
loz lozenge lozf lpar lparlt lrarr lrcorner lrhar lrhard lrm lrtri lsaquo lsh lsim lsime lsimg lsqb lsquo
lsquor lt ltcc ltcir ltdot lthree ltimes ltlarr ltquest ltrPar ltri ltrie ltrif lurdshar luruhar lvertneqq
lvnE mDDot macr male malt maltese map mapsto mapstodown mapstoleft mapstoup marker mcomma mdash measuredangle
mho mid midast midcir middot minus minusb minusd minusdu mlcp mldr mnplus models mp mstpos multimap mumap nGg
nGt nGtv nLeftarrow nLeftrightarrow nLl nLt nLtv nRightarrow nVDash nVdash nabla nang nap napE napid napprox
natur natural nbsp nbump nbumpe ncap ncong ncongdot ncup ndash ne neArr nearhk nearr nearrow nedot nequiv
nesear nesim nexist nexists ngE nge ngeq ngeqq ngeqslant nges ngsim ngt ngtr nhArr nharr nhpar ni nis nisd niv
nlArr nlE nlarr nldr nle nleftarrow nleftrightarrow nleq nleqq nleqslant nles nless nlsim nlt nltri nltrie
nmid not notin notinE notindot notinva notinvb notinvc notni notniva notnivb notnivc npar nparallel nparsl
npart npolint npr nprcue npre nprec npreceq nrArr nrarr nrarrc nrarrw nrightarrow nrtri nrtrie nsc nsccue nsce
nshortmid nshortparallel nsim nsime nsimeq nsmid nspar nsqsube nsqsupe nsub nsubE nsube nsubset nsubseteq
nsubseteqq nsucc nsucceq nsup nsupE nsupe nsupset nsupseteq nsupseteqq ntgl ntlg ntriangleleft ntrianglelefteq
ntriangleright ntrianglerighteq num numsp nvDash nvHarr nvap nvdash nvge nvgt nvinfin nvlArr nvle nvlt nvltrie
nvrArr nvrtrie nvsim nwArr nwarhk nwarr nwarrow nwnear oast ocir odash odiv odot odsold ofcir ogon ogt ohbar
oint olarr olcir olcross oline olt omid ominus opar operp oplus or orarr ord origof oror orslope orv osol
otimes otimesas ovbar par para parallel parsim parsl part percnt period permil perp pertenk phone pitchfork
plus plusacir plusb pluscir plusdo plusdu pluse plusmn plussim plustwo pm pointint pound pr prE prap prcue pre
prec precapprox preccurlyeq preceq precnapprox precneqq precnsim precsim prime prnE prnap prnsim prod profalar
profline profsurf prop propto prsim prurel puncsp qint qprime quatint quest questeq quot rAarr rArr rAtail
rBarr rHar race radic raemptyv rang rangd range rangle raquo rarr rarrap rarrb rarrbfs rarrc rarrfs rarrhk
rarrlp rarrpl rarrsim rarrtl rarrw ratail ratio rbarr rbbrk rbrace rbrack rbrke rbrksld rbrkslu rceil rcub
rdca rdldhar rdquo rdquor rdsh rect reg rfisht rfloor rhard rharu rharul rightarrow rightarrowtail
rightharpoondown rightharpoonup rightleftarrows rightleftharpoons rightrightarrows rightsquigarrow
rightthreetimes ring risingdotseq rlarr rlhar rlm rmoust rmoustache rnmid roang roarr robrk ropar roplus
rotimes rpar rpargt rppolint rrarr rsaquo rsh rsqb rsquo rsquor rthree rtimes rtri rtrie rtrif rtriltri
ruluhar rx sbquo sc scE scap sccue sce scnE scnap scnsim scpolint scsim sdot sdotb sdote seArr searhk searr
searrow sect semi seswar setminus setmn sext sfrown sharp shortmid shortparallel shy sim simdot sime simeq
simg simgE siml simlE simne simplus simrarr slarr smallsetminus smashp smeparsl smid smile smt smte smtes sol
solb solbar spades spadesuit spar sqcap sqcaps sqcup sqcups sqsub sqsube sqsubset sqsubseteq sqsup sqsupe
sqsupset sqsupseteq squ square squarf squf srarr ssetmn ssmile sstarf star starf strns sub subE subdot sube
subedot submult subnE subne subplus subrarr subset subseteq subseteqq subsetneq subsetneqq subsim subsub
subsup succ succapprox succcurlyeq succeq succnapprox succneqq succnsim succsim sum sung sup supE supdot
supdsub supe supedot suphsol suphsub suplarr supmult supnE supne supplus supset supseteq supseteqq supsetneq
supsetneqq supsim supsub supsup swArr swarhk swarr swarrow swnwar target tbrk tdot telrec there4 therefore
thickapprox thicksim thinsp thkap thksim tilde times timesb timesbar timesd tint toea top topbot topcir
topfork tosa tprime triangle triangledown triangleleft trianglelefteq triangleq triangleright trianglerighteq
tridot trie triminus triplus trisb tritime trpezium twixt twoheadleftarrow twoheadrightarrow uArr uHar uarr
udarr udhar ufisht uharl uharr uhblk ulcorn ulcorner ulcrop ultri uml uparrow updownarrow upharpoonleft
upharpoonright uplus upuparrows urcorn urcorner urcrop urtri utdot utri utrif uuarr uwangle vArr vBar vBarv
vDash vangrt varnothing varpropto varr varsubsetneq varsubsetneqq varsupsetneq varsupsetneqq vartriangleleft
vartriangleright vdash vee veebar veeeq vellip verbar vert vltri vnsub vnsup vprop vrtri vsubnE vsubne vsupnE
vsupne vzigzag wedbar wedge wedgeq weierp wp wr wreath xcap xcirc xcup xdtri xhArr xharr xlArr xlarr xmap xnis
xodot xoplus xotime xrArr xrarr xsqcup xuplus xutri xvee xwedge yen zigrarr zwj zwnj
', '\s+') AS name WHERE name <> '';
UPDATE html_entity SET is_legacy = true
WHERE name IN (SELECT regexp_split_to_table('
AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute Icirc
Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute
aacute acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute
ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot
nbsp not ntilde oacute ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy
sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml
', '\s+'));

CREATE INDEX html_entity_legacy ON html_entity (name) WHERE is_legacy;

-- The character that a numeric reference stands for, as browsers read it; a space for what is none.
CREATE FUNCTION html_character(reference text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  is_hex boolean := lower(substr(reference, 2, 1)) = 'x';
  digits text := ltrim(substr(reference, CASE WHEN is_hex THEN 3 ELSE 2 END), '0');
  code integer;
BEGIN
  IF digits = '' OR char_length(digits) > 7 THEN RETURN ' '; END IF;
  code := CASE WHEN is_hex THEN ('x' || lpad(digits, 8, '0'))::bit(32)::integer ELSE digits::integer END;
  RETURN CASE
    -- What Windows-1252 has there; those that are no letters only separate words.
    WHEN code BETWEEN 128 AND 159 THEN substr('   ƒ      Š Œ Ž          ™š œ žŸ', code - 127, 1)
    WHEN code BETWEEN 1 AND 55295 OR code BETWEEN 57344 AND 1114111 THEN chr(code)
    ELSE ' ' END;
END $$;

-- Decodes references from left to right as browsers do, until there is none left: text may have been
-- encoded more than once. Every pass shortens the text, so there is an end.
CREATE FUNCTION html_decode(input text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  decoded text := input;
  encoded text;
  pieces text[];
  piece text;
  reference text;
  value text;
BEGIN
  LOOP
    EXIT WHEN position('&' IN decoded) = 0;
    encoded := decoded;
    pieces := string_to_array(encoded, '&');
    decoded := pieces[1];
    FOREACH piece IN ARRAY pieces[2:] LOOP
      reference := substring(piece FROM '^(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*)');
      value := NULL;
      IF left(reference, 1) = '#' THEN
        value := html_character(reference);
      ELSIF reference IS NOT NULL THEN
        IF substr(piece, char_length(reference) + 1, 1) = ';' THEN
          SELECT e.value INTO value FROM html_entity e WHERE e.name = reference COLLATE "C";
        END IF;
        IF value IS NULL THEN
          -- Without its semicolon a reference may run into the text that follows.
          SELECT e.name, e.value INTO reference, value FROM html_entity e
          WHERE e.is_legacy AND starts_with(reference, e.name)
          ORDER BY char_length(e.name) DESC LIMIT 1;
        END IF;
      END IF;
      decoded := decoded || CASE WHEN value IS NULL THEN '&' || piece
        ELSE value || regexp_replace(substr(piece, char_length(reference) + 1), '^;', '') END;
    END LOOP;
    EXIT WHEN decoded = encoded;
  END LOOP;
  RETURN decoded;
END $$;

-- The words of a text, folded, one space between them; '' for none.
CREATE FUNCTION folded_words(input text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  IF octet_length(input) = char_length(input) AND position('&' IN input) = 0 THEN
    -- ASCII, as nearly all listings are: no tables are needed.
    RETURN btrim(regexp_replace(lower(input COLLATE "C"), '[^a-z0-9]+', ' ', 'g'));
  END IF;
  -- Lower, upper, lower is full case folding (sharp s in both cases, ligatures), but for the final sigma.
  RETURN btrim(regexp_replace(
    replace(lower(upper(lower(normalize(html_decode(input), NFKC) COLLATE "und-x-icu"))), 'ς', 'σ') COLLATE "und-x-icu",
    '[^[:alnum:]]+', ' ', 'g'));
END $$;

CREATE FUNCTION folded(input text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT replace(folded_words(input), ' ', '') $$;

-- What is left of a text that has neither letter nor digit.
CREATE FUNCTION bare_signs(input text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT regexp_replace(normalize(html_decode(input), NFKC), '[[:space:][:cntrl:]]+', '', 'g')
$$;

-- A part of a listing without the blanks around it, invisible characters included; null when that is all.
CREATE FUNCTION listing_text(part text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT nullif(btrim(part, E' \x01\x02\x03\x04\x05\x06\x07\b\t\n\x0b\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f'
    '\u0085\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e'
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f'
    '\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2060\u2061\u2062\u2063\u2064'
    '\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u2800\u3000\u3164\ufeff\uffa0'), '')
$$;

ALTER TABLE dealership
  ADD COLUMN whole_keys text[] NOT NULL DEFAULT '{}',
  ADD COLUMN loose_keys text[] NOT NULL DEFAULT '{}';

CREATE FUNCTION dealership_takes_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  name_words text := folded_words(NEW.name);
  name_key text := replace(name_words, ' ', '');
  host_key text := folded(substring(lower(listing_text(html_decode(NEW.website)))
    FROM '^(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)'));
  email_key text := folded(NEW.email);
  phone_key text := folded(NEW.phone);
  digits text := regexp_replace(phone_key, '[^0-9]', '', 'g');
BEGIN
  IF name_key = '' THEN name_key := bare_signs(NEW.name); END IF;
  -- The national number: callers leave the country code out, and an extension is not the number.
  IF char_length(digits) > 10 THEN
    digits := left(regexp_replace(digits, '^0*1?', ''), 10);
  END IF;
  -- A number that is spelled in letters is compared as it is spelled.
  IF phone_key !~ '[[:alpha:]]' OR phone_key !~ '[0-9]{3}' OR char_length(phone_key) < 7 THEN
    phone_key := NULL;
  END IF;
  NEW.whole_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[name_key, host_key, email_key,
      regexp_replace(phone_key, '^1', ''), CASE WHEN char_length(digits) >= 7 THEN digits END]) AS key WHERE key <> '');
  NEW.loose_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[
      CASE WHEN position(' ' IN name_words) > 0 AND char_length(name_key) >= 10 THEN name_key END,
      CASE WHEN char_length(email_key) >= 10 THEN email_key END,
      CASE WHEN char_length(digits) = 10 THEN digits END]) AS key WHERE key <> '');
  RETURN NEW;
END $$;
CREATE TRIGGER dealership_takes_keys
  BEFORE INSERT OR UPDATE OF name, phone, email, website, whole_keys, loose_keys ON dealership
  FOR EACH ROW EXECUTE FUNCTION dealership_takes_keys();

-- Whether a part of a listing carries one of the keys.
CREATE FUNCTION names_dealership(part text, whole_keys text[], loose_keys text[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  words text[] := string_to_array(folded_words(part), ' ');
  whole text := array_to_string(words, '');
  longest integer := (SELECT max(char_length(k)) FROM unnest(whole_keys) AS u (k));
  key text;
  run text;
BEGIN
  IF part IS NULL THEN RETURN false; END IF;
  IF whole = '' THEN RETURN coalesce(bare_signs(part) = ANY (whole_keys), false); END IF;
  IF whole = ANY (whole_keys) THEN RETURN true; END IF;
  FOREACH key IN ARRAY loose_keys LOOP
    IF position(key IN whole) > 0 THEN RETURN true; END IF;
  END LOOP;
  FOR from_word IN 1..cardinality(words) LOOP
    run := '';
    FOR to_word IN from_word..cardinality(words) LOOP
      run := run || words[to_word];
      EXIT WHEN char_length(run) > longest;
      IF char_length(run) > 2 AND run = ANY (whole_keys) THEN RETURN true; END IF;
    END LOOP;
  END LOOP;
  RETURN false;
END $$;

-- Settles what may be shown of every listing of the given requests.
CREATE FUNCTION clean_listings(buyer_ids uuid[], request_ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH affected AS (
    SELECT DISTINCT a.buyer_id, a.request_id FROM unnest(buyer_ids, request_ids) AS a (buyer_id, request_id)
  ), known AS (
    SELECT a.buyer_id, a.request_id,
      array_agg(DISTINCT w.key) FILTER (WHERE w.is_whole) AS whole_keys,
      coalesce(array_agg(DISTINCT w.key) FILTER (WHERE NOT w.is_whole), '{}') AS loose_keys,
      bool_or(w.key !~ '[[:alnum:]]') AS has_signs
    FROM affected a
    JOIN price_check m ON m.buyer_id = a.buyer_id AND m.request_id = a.request_id
    JOIN dealership d ON d.id = m.dealership_id
    CROSS JOIN LATERAL (
      SELECT unnest(d.whole_keys), true UNION ALL SELECT unnest(d.loose_keys), false
    ) AS w (key, is_whole)
    GROUP BY 1, 2
  ), suspect AS (
    SELECT pc.*, coalesce(k.whole_keys, '{}') AS whole_keys, coalesce(k.loose_keys, '{}') AS loose_keys
    FROM affected a
    JOIN price_check pc ON pc.buyer_id = a.buyer_id AND pc.request_id = a.request_id
    LEFT JOIN known k ON k.buyer_id = a.buyer_id AND k.request_id = a.request_id
    -- OFFSET 0 keeps the folding apart, so that it is done once for each listing and not once for each key.
    CROSS JOIN LATERAL (
      -- In the order of a label, so that a name which its parts make up together is met too.
      SELECT folded(concat_ws(' ', pc.listing_make, pc.listing_exterior_color, pc.listing_year,
        pc.listing_model, pc.listing_trim, pc.listing_mileage, round(pc.listing_mileage, -2),
        pc.listing_listed_at_cents, round(pc.listing_listed_at_cents / 100.0))) AS text
      OFFSET 0
    ) AS listing
    WHERE
      -- Either some key occurs in the listing's text at all (nearly never), or something is hidden now.
      EXISTS (
        SELECT FROM unnest(k.whole_keys || k.loose_keys) AS u (key) WHERE position(u.key IN listing.text) > 0)
      OR k.has_signs
      OR (pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
          pc.shown_mileage, pc.shown_listed_at_cents)
        IS DISTINCT FROM
         (pc.listing_year::integer, listing_text(pc.listing_make), listing_text(pc.listing_model),
          listing_text(pc.listing_trim), listing_text(pc.listing_exterior_color),
          pc.listing_mileage, pc.listing_listed_at_cents::bigint)
  ), clean AS (
    SELECT s.buyer_id, s.id,
      CASE WHEN NOT s.listing_year::text = ANY (s.whole_keys) THEN s.listing_year END AS year,
      CASE WHEN NOT names_dealership(s.listing_make, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_make) END AS make,
      CASE WHEN NOT names_dealership(s.listing_model, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_model) END AS model,
      CASE WHEN NOT names_dealership(s.listing_trim, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_trim) END AS trim,
      CASE WHEN NOT names_dealership(s.listing_exterior_color, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_exterior_color) END AS exterior_color,
      -- Numbers as they are and as labels round them.
      CASE WHEN NOT ARRAY[s.listing_mileage::text, round(s.listing_mileage, -2)::text] && s.whole_keys
        THEN s.listing_mileage END AS mileage,
      CASE WHEN NOT ARRAY[s.listing_listed_at_cents::text, round(s.listing_listed_at_cents / 100.0)::text,
          (s.listing_listed_at_cents / 100)::text] && s.whole_keys
        THEN s.listing_listed_at_cents END AS listed_at_cents,
      s.whole_keys, s.loose_keys
    FROM suspect s
  ), line AS (
    -- A label puts colour, year, model and trim side by side, where they may make up a name together:
    -- then as many are hidden, from the end, as it takes.
    SELECT c.buyer_id, c.id, c.year, c.make, c.mileage, c.listed_at_cents,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year), c.whole_keys, c.loose_keys)
        THEN c.exterior_color END AS exterior_color,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model), c.whole_keys, c.loose_keys)
        THEN c.model END AS model,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model, c.trim), c.whole_keys, c.loose_keys)
        THEN c.trim END AS trim
    FROM clean c
  )
  UPDATE price_check pc SET
    shown_year = c.year, shown_make = c.make, shown_model = c.model, shown_trim = c.trim,
    shown_exterior_color = c.exterior_color, shown_mileage = c.mileage, shown_listed_at_cents = c.listed_at_cents
  FROM line c
  WHERE pc.buyer_id = c.buyer_id AND pc.id = c.id
    AND (pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
         pc.shown_mileage, pc.shown_listed_at_cents)
      IS DISTINCT FROM (c.year::integer, c.make, c.model, c.trim, c.exterior_color, c.mileage, c.listed_at_cents::bigint)
$$;
