"use strict";(()=>{var byId=id=>document.getElementById(id);function element(tag2,properties={},...children){let node=document.createElement(tag2);for(let[key,value]of Object.entries(
properties))key in node?node[key]=value:node.setAttribute(key,String(value));return node.append(...children.filter(child=>child!=
null)),node}function svgElement(tag2,attributes){let node=document.createElementNS("http://www.w3.org/2000/svg",tag2);for(let[
key,value]of Object.entries(attributes))node.setAttribute(key,String(value));return node}var TYPE_NAMES={branding:"brand",product:"product",call_to_action:"call to action",headline_text:"headline"},TYPES=Object.
keys(TYPE_NAMES),areaNumbers=({type,proposals})=>proposals.filter(proposal=>proposal.area_id!==null&&proposal.type===type).
map(({number})=>number);function openReview({others,...data}){let review={...data,others:byId2(others),at:0,aside:null,answers:new Map,
trail:[],settled:new Set,verdicts:new Map};return withVerdicts(review)}var byId2=(questions=[])=>new Map(questions.map(question=>[
question.id,question])),everyQuestion=review=>[...review.questions,...review.others.values()];function withVerdicts(review){
for(let{medium_id,path,verdict}of everyQuestion(review))review.verdicts.has(medium_id)||review.verdicts.set(medium_id,{path,
verdict});return review}var shownQuestion=review=>review.aside===null?review.questions[review.at]:everyQuestion(review).
find(({id})=>id===review.aside),isOpen=(review,{id})=>!review.answers.has(id)&&!review.settled.has(id),openQuestions=review=>review.
questions.filter(question=>isOpen(review,question));function questionsAbout(review,mediumId){let about=everyQuestion(review).
filter(({medium_id})=>medium_id===mediumId);return TYPES.map(type=>about.find(question=>question.type===type)).filter(question=>question!==
void 0)}function standing(review,question){return question.answered||review.answers.has(question.id)||review.settled.has(
question.id)?"answered":question.open===!1?"sure":"unclear"}function nearestOpen(review,from,by){for(let i=from;i>=0&&i<
review.questions.length;i+=by)if(isOpen(review,review.questions[i]))return i;return by>0?review.questions.length:null}var firstOpenAbout=(review,mediumId)=>review.
questions.findIndex(question=>question.medium_id===mediumId&&isOpen(review,question));function step(review,by){let medium=review.
questions[review.at]?.medium_id,from=review.at+by;for(;medium!==void 0&&review.questions[from]?.medium_id===medium;)from+=
by;let at=nearestOpen(review,from,by);review.aside=null,at!==null&&(review.at=by>0?at:firstOpenAbout(review,review.questions[at].
medium_id))}function goToFirstOpen(review){[review.at,review.aside]=[nearestOpen(review,0,1),null]}function showAside(review,id){
review.aside=id===review.questions[review.at]?.id?null:id}function turn(review,by){let now=shownQuestion(review),about=questionsAbout(
review,now.medium_id),at=about.findIndex(({id})=>id===now.id);showAside(review,about[(at+by+about.length)%about.length].
id)}function unseenMedia(review){let seen=new Set(review.questions.map(({medium_id})=>medium_id));for(let{id,medium_id,answered}of review.
others.values())(answered||review.answers.has(id))&&seen.add(medium_id);return[...new Set([...review.others.values()].map(
({medium_id})=>medium_id))].filter(mediumId=>!seen.has(mediumId))}function addUnseen(review){review.aside=null,review.at=
review.questions.length;let added=unseenMedia(review).map(mediumId=>questionsAbout(review,mediumId)[0]);review.questions=
[...review.questions,...added.map(question=>({...question,text:"Are all areas right?",why:"",added:!0}))]}var settles=({
answer,numbers,boxes})=>answer!=="brand_for_folder"||numbers.length+boxes.length>0;function aboutSameMedium(review,id){let medium=everyQuestion(
review).find(question=>question.id===id)?.medium_id;return everyQuestion(review).filter(({medium_id})=>medium_id===medium).
map(question=>question.id)}function takeAnswer(review,body){if(review.trail.push(body),!settles(body))return;let{medium_id}=shownQuestion(
review);if(review.answers.set(body.question,body),body.answer==="confirm_all")for(let id of aboutSameMedium(review,body.
question))review.settled.add(id);let there=firstOpenAbout(review,medium_id);[review.at,review.aside]=[there>=0?there:nearestOpen(
review,review.at,1),null]}function takeBack(review,body=review.trail.at(-1)){if(body===void 0)return null;review.trail=review.
trail.filter(other=>other!==body);let earlier=review.trail.findLast(({question})=>question===body.question);if(earlier?review.
answers.set(body.question,earlier):review.answers.delete(body.question),body.answer==="confirm_all")for(let id of aboutSameMedium(
review,body.question))review.settled.delete(id);let at=review.questions.findIndex(question=>question.id===body.question);
return at>=0?[review.at,review.aside]=[at,null]:review.others.has(body.question)&&(review.aside=body.question),body}var refreshed=({
text,why,...question},now)=>({...question,text,why,...now,...question.added?{text,why,added:!0}:{}});function takeReply(review,{
medium,questions,about=[],progress}){let fresh=byId2(about);review.progress=progress;let now=question=>question.medium_id===
medium.medium_id?refreshed(question,fresh.get(question.id)??{...question,verdict:medium.verdict,areas:medium.areas}):question;
review.questions=review.questions.map(now),review.others=byId2([...review.others.values()].map(now));for(let question of about)
review.questions.some(({id})=>id===question.id)?question.answered&&!review.answers.has(question.id)&&review.settled.add(
question.id):review.others.set(question.id,question);let changed=new Set(questions.filter(id=>!fresh.has(id)));return openQuestions(
review).some(({id})=>changed.has(id))||about.some(({id,open})=>open&&review.others.has(id))}function takeQuestions(review,data,returning=[]){
let shown=review.questions[review.at]?.id,now=byId2(data.questions);review.progress=data.progress,review.others=byId2(data.
others),review.settled=new Set(review.questions.filter(({id:id2,added})=>!now.has(id2)&&!review.answers.has(id2)&&(!added||
review.others.get(id2)?.answered)).map(({id:id2})=>id2));let before=new Set(review.questions.map(({id:id2})=>id2));review.
questions=[...review.questions.map(question=>refreshed(question,now.get(question.id)??review.others.get(question.id))),...data.
questions.filter(({id:id2})=>!before.has(id2))],withVerdicts(review);let wanted=returning.find(id2=>now.has(id2)&&!review.
answers.has(id2));(wanted!==void 0||shownQuestion(review)===void 0)&&(review.aside=null);let id=wanted??shown;review.at=
id===void 0?review.questions.length:review.questions.findIndex(question=>question.id===id),review.aside===null&&review.at<
review.questions.length&&!isOpen(review,review.questions[review.at])&&(review.at=nearestOpen(review,review.at,1))}function progressWith({
progress},waiting){return{...progress,answered:progress.answered+waiting,left:Math.max(0,progress.left-waiting)}}function verdicts(review){
let now=new Map(everyQuestion(review).map(({medium_id,verdict})=>[medium_id,verdict])),counts={works:0,attention:0,open:0,
unknown:0};for(let{status}of now.values())counts[status]+=1;let seen=[...review.verdicts].map(([medium_id,{path,verdict}])=>({
path,before:verdict,after:now.get(medium_id)??verdict}));return{counts,changed:seen.filter(({before,after})=>before.status!==
after.status)}}var missingTypes=({areas})=>TYPES.filter(type=>!areas.some(area=>area.type===type));function proposalAt(proposals,[
x,y]){return proposals.filter(({box:[left,top,width,height]})=>x>=left&&x<=left+width&&y>=top&&y<=top+height).sort((a,b)=>a.
box[2]*a.box[3]-b.box[2]*b.box[3])[0]??null}var SIGNS={works:"✓",attention:"✕",open:"~",unknown:"–"},STANDING={answered:"✓",unclear:"?",sure:""},WORDS={works:[
"works","work"],attention:["needs attention","need attention"],open:["is undecided","are undecided"],unknown:["has no ve\
rdict","have no verdict"]},counted=(n,words)=>`${n} ${words[n===1?0:1]}`,listed=words=>[words.slice(0,-1).join(", "),words.
at(-1)].filter(Boolean).join(" or "),verdictTag=({status,text})=>element("span",{className:`verdict-tag ${status}`},element(
"span",{"aria-hidden":"true"},`${SIGNS[status]} `),`${text.charAt(0).toUpperCase()}${text.slice(1)}`);function keyButton(words,key,action,properties={}){
let button=element("button",{type:"button",...properties},element("span",{},words),element("kbd",{"aria-hidden":"true"},
key));return button.addEventListener("click",action),button}function setWords(button,words){button.firstElementChild.textContent=
words}function buildPanel(does){let panel={bar:element("progress",{max:1,value:0,"aria-label":"Questions answered"}),counts:element(
"span",{}),changed:element("span",{role:"status"}),error:element("p",{className:"alert review-error",role:"alert",hidden:!0}),
place:element("span",{className:"review-path"}),types:element("div",{className:"review-types",role:"group","aria-label":"\
Areas of this ad"}),tag:element("span",{}),heading:element("h2",{tabIndex:-1}),why:element("p",{className:"review-why"}),
list:element("ul",{className:"review-proposals","aria-label":"Proposals"}),says:element("p",{className:"review-says",role:"\
status"}),brandLabel:element("span",{}),brandName:element("input",{type:"text",autocomplete:"off",required:!0}),brandForm:element(
"form",{className:"review-brand",hidden:!0}),confirm:keyButton("Confirm","Enter",does.confirm,{className:"primary"}),none:keyButton(
"None","N",does.none),draw:keyButton("Draw","D",does.draw,{"aria-pressed":"false"}),brand:keyButton("Brand","B",does.brand,
{"aria-expanded":"false",title:"Name the brand of all files of this folder"}),undo:keyButton("Undo","U",does.undo),back:keyButton(
"Back","←",does.back),skip:keyButton("Skip","→",does.skip),question:element("div",{className:"review-columns"}),end:element(
"div",{className:"review-end",hidden:!0}),reached:element("p",{role:"status"}),verdicts:element("ul",{}),changes:element(
"details",{})};return panel.brandForm.append(element("label",{},panel.brandLabel,panel.brandName),element("button",{type:"\
submit",className:"primary"},"Use it")),panel.brandForm.addEventListener("submit",event=>{event.preventDefault(),does.name(
panel.brandName.value.trim())}),panel}function layOut(host,panel,picture){let{bar,counts,changed,error,place,tag:tag2,types,
heading,why,list,brandForm,says,question,end}=panel,actions=element("div",{className:"review-actions",role:"group","aria\
-label":"Answer"},panel.confirm,panel.none,panel.draw,panel.brand,panel.undo,panel.back,panel.skip),head=element("div",{
className:"review-head"},element("p",{className:"sub"},tag2,place),types,heading,why);question.append(head,picture,element(
"div",{className:"review-answers"},list,brandForm,says,actions)),host.replaceChildren(element("div",{className:"review-p\
rogress"},bar,counts,changed),error,question,end)}function typeButton(review,question,shown,ask){let[n,how]=[shown.areas.
filter(({type})=>type===question.type).length,standing(review,question)],button=element("button",{type:"button",className:how,
"aria-pressed":`${question.id===shown.id}`},element("span",{},`${TYPE_NAMES[question.type]} `),element("small",{},`${n||
"none"} `,element("b",{title:how==="sure"?"":how},STANDING[how])));return button.addEventListener("click",()=>ask(question.
id)),button}function proposalItem(asked,{number,label,confidence,type,area_id},pick,toggle){let sure=confidence===null?null:
`${Math.round(100*confidence)} % sure`,facts=[area_id===null?"a guess":type===asked?"found":type==="other"?null:`now ${TYPE_NAMES[type]??
type.replaceAll("_"," ")}`,sure].filter(Boolean).join(", "),button=element("button",{type:"button",title:`Only ${number}`},
element("b",{},`${number}`),element("span",{},label||"No text"," ",element("small",{},facts)));button.addEventListener("\
click",()=>pick(number));let several=element("input",{type:"checkbox","aria-label":`${number} is one of the areas`});return several.
dataset.number=`${number}`,several.addEventListener("change",()=>toggle(number)),element("li",{},button,several)}function failureWords(problem,retry,drop){
let[again,back]=["Try again","Take it back"].map(words=>element("button",{type:"button"},words));return again.addEventListener(
"click",retry),back.addEventListener("click",drop),[element("strong",{},"Not saved: "),`${problem.message}. `,again,back]}
function showReached({reached,verdicts:verdicts2,changes},review,{progress,written}){let{counts,changed}=verdicts(review),
words=`${counted(progress.answered,["question is answered","questions are answered"])}; ${counted(progress.undecided,["a\
d has","ads have"])} no clear verdict.`,media=Object.entries(counts).filter(([,n])=>n>0);reached.textContent=`${words}${written?
"":" The last answers are being written …"}`,verdicts2.replaceChildren(...media.map(([status,n])=>element("li",{},element(
"span",{"aria-hidden":"true"},`${SIGNS[status]} `),counted(n,WORDS[status]))));let lines=changed.map(({path,before,after})=>element(
"li",{},`${path}: `,verdictTag(before)," → ",verdictTag(after)));changes.replaceChildren(element("summary",{},`${counted(
changed.length,["verdict","verdicts"])} changed`),element("ul",{},...lines)),changes.hidden=changed.length===0}function showEnd({
end,reached,verdicts:verdicts2,changes},review,{skipped,unseen,last,undo,goOn,lookOn}){let heading=element("h2",{tabIndex:-1},
skipped?"That was the last question":"All questions are answered"),again=skipped?keyButton(`Answer the ${counted(skipped,
["question","questions"])} that you skipped`,"←",goOn,{className:"primary"}):null,more=unseen?keyButton(`Look at the ${counted(
unseen,["ad","ads"])} without a question`,"→",lookOn):null,report=review.report?element("p",{},element("a",{href:review.
report},"Open the report")):null;return end.replaceChildren(heading,reached,verdicts2,changes,...[again,more,last,report].
filter(Boolean),keyButton("Undo the last answer","U",undo)),heading}function outline(box,polygon){let[x0,y0,x1,y1]=box,points=(polygon??[[x0,y0],[x1,y0],[x1,y1],[x0,y1]]).map(point=>point.
join(","));return["edge","line"].map(kind=>svgElement("polygon",{class:kind,points:points.join(" ")}))}function tag(text,type,box,polygon){
let[x,y]=polygon?[...polygon].sort((a,b)=>a[1]-b[1]||a[0]-b[0])[0]:box,label=element("span",{className:`area-tag type-${type}`},
text);return Object.assign(label.style,{left:`${100*Math.max(x,0)}%`,top:`max(${100*y}%, var(--tag-height))`}),label}var limited=(value,low,high)=>Math.min(Math.max(value,low),Math.max(low,high)),shortNumber=value=>Math.round(value*1e5)/
1e5;function bounds(points){let[xs,ys]=[0,1].map(axis=>points.map(point=>point[axis]));return[Math.min(...xs),Math.min(...ys),
Math.max(...xs),Math.max(...ys)]}var STILL_TOUCH_PX=12,stillPx=pointerType=>pointerType==="touch"?STILL_TOUCH_PX:4;function isClick(box,size,pointerType){
let[width,height]=[(box[2]-box[0])*size.width,(box[3]-box[1])*size.height];return Math.max(width,height)<2*stillPx(pointerType)||
Math.min(width,height)<4}function wirePresses(canvas,{onPress,onHover,onDrag,onRelease,onCancel}){let press=null;function position(event){
let{left,top,width,height}=canvas.getBoundingClientRect();return[limited((event.clientX-left)/width,0,1),limited((event.
clientY-top)/height,0,1)]}function cancel(){press!==null&&(press=null,onCancel())}canvas.addEventListener("pointerdown",
event=>{if(!event.isPrimary||press!==null)return cancel();if(event.button===0)return event.preventDefault(),canvas.setPointerCapture(
event.pointerId),press={id:event.pointerId,px:[event.clientX,event.clientY],going:!1},onPress(position(event),event)}),canvas.
addEventListener("pointermove",event=>{if(press===null)return onHover?.(position(event),event);if(event.pointerId===press.
id)return press.going||=Math.hypot(event.clientX-press.px[0],event.clientY-press.px[1])>=stillPx(event.pointerType),press.
going?onDrag(position(event),event):void 0}),canvas.addEventListener("pointerup",event=>{event.pointerId===press?.id&&(press=
null,onRelease(position(event),event))}),canvas.addEventListener("pointercancel",cancel)}var STEP=.01,ARROWS={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]},SAME_CORNER=.04,TAG_PX=30,ZOOMS=[
2,8],NAMED_PX=200,MOST_NAMED=3,SHOWN=.8,boxOf=([x,y,width,height])=>[x,y,x+width,y+height],placeOf=([x0,y0,x1,y1])=>[x0,
y0,x1-x0,y1-y0].map(shortNumber);function shape(className,box){let group=svgElement("g",{class:className});return group.
append(...outline(box,null)),group}function reviewPicture({onPick,onType,onDraw,say}){let image=element("img",{alt:"",draggable:!1,
decoding:"async"}),drawing=svgElement("svg",{viewBox:"0 0 1 1",preserveAspectRatio:"none","aria-hidden":"true"}),tags=element(
"div",{"aria-hidden":"true"}),frame=element("div",{className:"review-picture",tabIndex:-1,role:"img"},image,drawing,tags),
view=element("div",{className:"review-window"},frame),zoom=element("button",{type:"button",className:"review-zoom","aria\
-pressed":"false","aria-label":"Zoom"},element("span",{"aria-hidden":"true"},"⌕"),element("kbd",{"aria-hidden":"true"},
"Z")),stage=element("div",{className:"review-stage"},view,zoom),question,picked=null,drawn=[],[draws,cross,corner]=[!1,[
.5,.5],null],press=null,others=[];function render(){let under=press?.box??(corner?bounds([corner,cross]):null),ids=new Set(
question.proposals.map(({area_id})=>area_id));others=question.areas.filter(({area_id,type})=>TYPE_NAMES[type]&&!ids.has(
area_id));let areas=areaNumbers(question),proposed=question.proposals.map(({number,box})=>shape(`proposal${areas.includes(
number)?"":" unsure"}${picked?.has(number)?" picked":""}`,boxOf(box)));drawing.replaceChildren(...others.map(({box})=>shape(
"other",boxOf(box))),...proposed,...[...drawn,...under?[under]:[]].map(box=>shape("drawn",box)));let marks=question.proposals.
map(({number,box},i)=>{let label=tag(`${number}`,"proposal",boxOf(box),null),covered=question.proposals.slice(0,i).filter(
other=>Math.abs(other.box[0]-box[0])<SAME_CORNER&&Math.abs(other.box[1]-box[1])<SAME_CORNER).length,above=box[1]*frame.clientHeight>=
TAG_PX,left=!above&&!covered&&frame.offsetLeft+box[0]*frame.clientWidth>=TAG_PX;return label.style.marginLeft=`${left?-TAG_PX:
covered*TAG_PX}px`,label.dataset.number=`${number}`,label.classList.toggle("picked",picked?.has(number)===!0),label.classList.
toggle("inside",!above),label}),at=element("i",{className:"review-cross",hidden:!draws});Object.assign(at.style,{left:`${100*
cross[0]}%`,top:`${100*cross[1]}%`});let named=others.filter(({type},i)=>i===others.findIndex(other=>other.type===type)||
others.filter(other=>other.type===type).length<=MOST_NAMED),words=(frame.clientWidth<NAMED_PX?[]:named).map(({box,type})=>{
let label=tag(TYPE_NAMES[type],"other",boxOf(box),null);return label.classList.toggle("at-right",box[0]>.75),label});tags.
replaceChildren(...words,...marks,at),frame.classList.toggle("drawing",draws)}function change(){render(),onDraw()}function addBox(box){
drawn.push(box),[draws,corner]=[!1,null],say("Drawn. Confirm takes it, Undo drops it; another drag adds a box."),change()}
function setCorner(){let box=corner&&bounds([corner,cross]);return box&&box[2]>box[0]&&box[3]>box[1]?addBox(box):(corner=
cross,say("First corner. Space sets the opposite one."),render())}image.addEventListener("error",()=>say("The picture ca\
nnot be shown.")),wirePresses(frame,{onPress(at,event){let{number}=event.target.dataset??{};press={from:at,number:number?
Number(number):null,draws:draws||event.pointerType!=="touch",box:null}},onDrag(at){press?.draws&&(press.box=bounds([press.
from,at]),render())},onRelease(at,event){let done=press;if(press=null,done===null)return;if(done.box&&!isClick(done.box,
frame.getBoundingClientRect(),event.pointerType))return addBox(done.box);if(render(),draws)return;let number=done.number??
proposalAt(question.proposals,at)?.number;if(number!==void 0)return onPick(number,event.shiftKey);let other=proposalAt(others,
at);return other&&onType(other.type)},onCancel(){press=null,render()}});function toggleZoom(){let on=zoom.getAttribute("\
aria-pressed")==="false";if(zoom.setAttribute("aria-pressed",`${on}`),view.classList.toggle("zoomed",on),frame.style.setProperty(
"--zoom","1"),on){let boxes=(question.proposals.length?question.proposals:others).map(({box})=>boxOf(box)),[x0,y0,x1,y1]=boxes.
length?bounds(boxes.flatMap(box=>[[box[0],box[1]],[box[2],box[3]]])):[0,0,1,0],[width,height]=[frame.clientWidth,frame.clientHeight],
fits=Math.min(SHOWN*view.clientWidth/Math.max(1,(x1-x0)*width),SHOWN*view.clientHeight/Math.max(1,(y1-y0)*height));frame.
style.setProperty("--zoom",`${limited(fits,ZOOMS[0],ZOOMS[1])}`),view.scrollTo({left:(x0+x1)/2*frame.clientWidth-view.clientWidth/
2,top:(y0+y1)/2*frame.clientHeight-view.clientHeight/2})}render()}return zoom.addEventListener("click",toggleZoom),{stage,
frame,toggleZoom,show(next){question=next,[picked,drawn,draws,corner,press]=[null,[],!1,null,null],view.classList.contains(
"zoomed")&&image.getAttribute("src")!==next.picture&&toggleZoom(),image.getAttribute("src")!==next.picture&&(image.src=next.
picture),frame.setAttribute("aria-label",`${next.path}: the picture, ${next.proposals.length===1?"with one proposal":`wi\
th ${next.proposals.length} proposals`}`),frame.style.setProperty("--ratio",`${next.width/next.height}`),render()},toggle(number){
picked??=new Set(drawn.length?[]:areaNumbers(question)),picked.delete(number)||picked.add(number),change()},picked:()=>[
...picked??[]].sort((a,b)=>a-b),isChanged:()=>picked!==null||drawn.length>0,drawn:()=>drawn.map(placeOf),isDrawing:()=>draws,
draw(){[draws,cross,corner]=[!draws,[.5,.5],null],say(draws?"Drag a box on the picture, or set two opposite corners with\
 the arrows and Space.":""),change()},cancel(){return!draws&&press?.box==null&&!drawn.length&&picked===null?!1:(press?.box?
press=null:draws?[draws,corner]=[!1,null]:[drawn,picked]=[[],null],say(""),change(),!0)},key(event){if(!draws)return!1;if(event.
key===" "||event.key==="Enter"&&corner)setCorner();else if(event.key==="Enter")say("Set the first corner with Space, or \
drag a box; Esc leaves drawing.");else if(event.key in ARROWS){let by=event.repeat?2*STEP:STEP;cross=cross.map((value,axis)=>limited(
value+by*ARROWS[event.key][axis],0,1)),render()}else return!1;return!0}}}function answerQueue(backend2,{onReply,onFailure,onIdle}){let waiting=[],sending=!1,failed=!1;async function send(){if(!(sending||
failed)){for(sending=!0;waiting.length&&!failed;){let[request]=waiting;try{let reply=await(request===null?backend2.undo():
backend2.answer(request));waiting=waiting.slice(1),onReply(request,reply)}catch(error){failed=!0,onFailure(error)}}sending=
!1,waiting.length||onIdle()}}return{push(request){waiting.push(request),send()},retry(){failed=!1,send()},drop(){let request=waiting.
shift()??null;return failed=!1,send(),request},remove(request){let i=waiting.indexOf(request);return request===null||i<0||
i===0&&!failed?!1:(waiting.splice(i,1),i===0&&(failed=!1),send(),!0)},balance:()=>waiting.reduce((sum,request)=>sum+(request===
null?-1:1),0),isEmpty:()=>waiting.length===0,size:()=>waiting.length,hasFailed:()=>failed}}var PREFETCHED=4;async function showReview(host,backend2,last=()=>null){host.replaceChildren(element("p",{role:"status"},
"Loading the questions …"));try{reviewPage(host,backend2,openReview(await backend2.load()),last)}catch(problem){host.replaceChildren(
element("p",{className:"alert",role:"alert"},`The questions could not be loaded: ${problem.message}.`))}}function reviewPage(host,backend2,review,last){
let stale=!1,returning=[],pictures=new Map,queue=answerQueue(backend2,{onReply,onFailure,onIdle}),panel=buildPanel({confirm,
none:()=>answer("none"),draw,brand:askBrand,undo,back:()=>go(-1),skip:()=>go(1),name:nameBrand}),picture=reviewPicture({
say,onDraw:showChoice,onType,onPick:(number,several)=>several?picture.toggle(number):pick(number)});function say(words){
panel.says.textContent=words}function show(){let question=shownQuestion(review);return panel.question.hidden=question===
void 0,panel.end.hidden=question!==void 0,showProgress(),say(""),showBrandForm(!1),question===void 0?showLast().focus({preventScroll:!0}):
(picture.show(question),panel.list.replaceChildren(...question.proposals.map(proposal=>proposalItem(question.type,proposal,
pick,picture.toggle))),panel.list.hidden=question.proposals.length===0,panel.back.disabled=openQuestions(review)[0]?.medium_id===
question.medium_id,showWords(),showChoice(),prefetch(),panel.heading.focus({preventScroll:!0}))}function showProgress(){
let{answered,left,undecided}=progressWith(review,queue.balance()),ads=new Set(openQuestions(review).map(({medium_id})=>medium_id)).
size;Object.assign(panel.bar,{max:Math.max(1,answered+left),value:answered}),panel.counts.textContent=`${answered} answe\
red · ${left} left${left&&ads?` in ${counted(ads,["ad","ads"])}`:""} · ${undecided} without a clear verdict${queue.size()>
1?` · saving ${queue.size()} …`:""}`}function showWords(){let question=shownQuestion(review),{medium_id,path,text,why,
verdict}=question,about=questionsAbout(review,medium_id);panel.types.replaceChildren(...about.map(other=>typeButton(review,
other,question,showQuestion))),panel.types.hidden=about.length<2,panel.place.textContent=path,panel.heading.textContent=
text,panel.why.textContent=why,panel.tag.replaceChildren(verdictTag(verdict)," ")}function showChoice(){let[picked,drawn,
question]=[picture.picked(),picture.drawn(),shownQuestion(review)],changed=picture.isChanged(),words=[...picked,drawn.length?
counted(drawn.length,["drawn box","drawn boxes"]):null].filter(Boolean).join(" + "),missing=listed(missingTypes(question).
map(type=>TYPE_NAMES[type]));setWords(panel.confirm,changed?`Confirm ${words||"that there is none"}`:picture.isDrawing()?
"Confirm":missing?`All right, no ${missing}`:"All areas are right"),panel.confirm.title=changed?"":"The areas with a sol\
id outline are right, and none is missing",panel.confirm.setAttribute("aria-disabled",`${!changed&&picture.isDrawing()}`),
panel.draw.setAttribute("aria-pressed",`${picture.isDrawing()}`);let areas=changed?picked:areaNumbers(question);for(let box of panel.
list.querySelectorAll("input"))box.checked=areas.includes(Number(box.dataset.number))}function showProgressAtEnd(){showReached(
panel,review,{progress:progressWith(review,queue.balance()),written:queue.isEmpty()})}function showLast(){let goOn=()=>{
goToFirstOpen(review),show()};return showProgressAtEnd(),showEnd(panel,review,{skipped:openQuestions(review).length,unseen:unseenMedia(
review).length,last:last(),undo,goOn,lookOn})}function lookOn(){unseenMedia(review).length!==0&&(addUnseen(review),show())}
function prefetch(){let next=openQuestions(review).filter(question=>review.questions.indexOf(question)>review.at).map(question=>question.
picture),wanted=[...new Set(next)].slice(0,PREFETCHED);for(let address of wanted)pictures.has(address)||pictures.set(address,
Object.assign(new Image,{src:address}));for(let address of pictures.keys())wanted.includes(address)||pictures.delete(address)}
function answer(kind,{numbers=[],boxes=[],brand}={}){let{id,type,brand:proposed,proposals}=shownQuestion(review),body={question:id,
answer:kind,numbers,boxes,shown:proposals.map(({box})=>box),type,brand:brand??proposed};takeAnswer(review,body),queue.push(
body),show()}function pick(number){picture.isChanged()?picture.toggle(number):answer("pick",{numbers:[number]})}function confirm(){
let[numbers,boxes]=[picture.picked(),picture.drawn()];return boxes.length?answer("draw",{numbers,boxes}):picture.isChanged()?
numbers.length?answer("pick",{numbers}):answer("none"):picture.isDrawing()?say("Draw a box first, or leave drawing."):answer(
"confirm_all")}function draw(){picture.draw(),(picture.isDrawing()?picture.frame:panel.heading).focus({preventScroll:!0})}
function showBrandForm(on){panel.brandForm.hidden=!on,panel.brand.setAttribute("aria-expanded",`${on}`)}function askBrand(){
if(panel.brand.hidden)return;if(showBrandForm(panel.brandForm.hidden===!0),panel.brandForm.hidden)return panel.heading.focus(
{preventScroll:!0});let{brand,folder}=shownQuestion(review);return panel.brandName.value=brand??"",panel.brandLabel.textContent=
`Brand of all files in ${folder==="./"?"this folder":folder}`,panel.brandName.focus(),panel.brandName.select()}function nameBrand(brand){
brand&&answer("brand_for_folder",{numbers:picture.picked(),boxes:picture.drawn(),brand})}function leave(move){return!panel.
question.hidden&&picture.drawn().length?say("Confirm or undo what is drawn first."):(move(),show())}let go=by=>leave(()=>step(
review,by)),showQuestion=id=>leave(()=>showAside(review,id));function onType(type){let other=questionsAbout(review,shownQuestion(
review).medium_id).find(question=>question.type===type);other&&showQuestion(other.id)}function undo(){if(!panel.question.
hidden&&picture.cancel())return;let here=review.trail.length>0;if(!here&&progressWith(review,queue.balance()).answered===
0)return say("Nothing to undo.");let body=takeBack(review);return queue.remove(body)||queue.push(null),queue.hasFailed()||
(panel.error.hidden=!0),show(),say(here?"Taken back.":"Undoing the last answer …")}function onReply(request,reply){panel.
error.hidden=!0;let shown=shownQuestion(review),[before]=questionsAbout(review,reply.medium.medium_id);stale=takeReply(review,
reply)||request===null||stale,request===null&&(returning=reply.questions),before&&showChange(before,reply.medium.verdict),
showAgain(shown)}function showAgain(before){let now=shownQuestion(review);return!(now?.id===before?.id&&JSON.stringify([
now?.proposals,now?.areas])===JSON.stringify([before?.proposals,before?.areas]))&&!(now&&now.id===before?.id&&picture.isChanged())?
show():(now&&showWords(),showProgress())}function showChange({path,verdict:before},verdict){let changes=before.status!==
verdict.status;panel.changed.replaceChildren(`${path.split("/").at(-1)}: `,...changes?[verdictTag(before)," → "]:[],verdictTag(
verdict))}function onFailure(problem){let retry=()=>{panel.error.hidden=!0,queue.retry()},drop=()=>{panel.error.hidden=!0,
stale=!0;let body=queue.drop();body&&takeBack(review,body),show()};panel.error.replaceChildren(...failureWords(problem,retry,
drop)),panel.error.hidden=!1}async function onIdle(){if(stale){stale=!1;let data=await backend2.load().catch(()=>null);data&&
queue.isEmpty()?refresh(data):stale=!0}shownQuestion(review)===void 0&&showProgressAtEnd()}function refresh(data){let before=shownQuestion(
review);takeQuestions(review,data,returning),returning=[],showAgain(before)}let KEYS={n:()=>answer("none"),d:draw,b:askBrand,
u:undo,z:picture.toggleZoom,Enter:confirm,ArrowLeft:()=>go(-1),ArrowRight:()=>go(1),ArrowUp:()=>leave(()=>turn(review,-1)),
ArrowDown:()=>leave(()=>turn(review,1))},END_KEYS={u:undo,ArrowLeft:()=>go(-1),ArrowRight:lookOn};function takeKey(event){
let asks=shownQuestion(review)!==void 0;if(event.key==="Escape")return asks&&escape();if(event.target.matches("input[typ\
e=text]"))return!1;let key=event.key.length===1?event.key.toLowerCase():event.key;if(event.ctrlKey||event.metaKey)return key===
"z"&&!event.shiftKey&&run(undo);if(asks&&picture.key(event))return!0;let digit=/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
if(digit!==void 0&&asks)return event.repeat||run(()=>onDigit(Number(digit),event.shiftKey));if(key==="Enter"&&event.target.
closest("button, a")||event.repeat)return!1;let act=(asks?KEYS:END_KEYS)[key];return act!==void 0&&run(act)}function run(act){
return act(),!0}function escape(){return panel.brandForm.hidden?picture.cancel()&&run(()=>panel.heading.focus({preventScroll:!0})):
run(askBrand)}function onDigit(number,several){return shownQuestion(review).proposals.some(proposal=>proposal.number===number)?
several?picture.toggle(number):pick(number):say(`There is no proposal ${number}.`)}function onKey(event){if(!host.isConnected||
panel.end.parentNode!==host)return removeEventListener("keydown",onKey);!event.defaultPrevented&&!event.isComposing&&!event.
altKey&&takeKey(event)&&event.preventDefault()}panel.brand.hidden=backend2.namesBrands===!1,layOut(host,panel,picture.stage),
addEventListener("keydown",onKey),addEventListener("beforeunload",event=>{queue.isEmpty()||event.preventDefault()}),show()}function serverBackend(token){async function ask(method,address,body){let headers={Authorization:`Bearer ${token}`,...body===
void 0?{}:{"Content-Type":"application/json"}},response=await fetch(address,{method,headers,body:body===void 0?void 0:JSON.
stringify(body)}).catch(()=>null);if(response===null)throw new Error("mediaan cannot be reached; is it still running?");
let content=await response.json().catch(()=>({}));if(!response.ok)throw new Error(content.error?.message??content.detail??
`mediaan answered ${response.status}`);return content}let given=[];return{load:()=>ask("GET","api/review"),async answer(body){
let reply=await ask("POST","api/review/answers",body);return given.push(reply.answer),reply},async undo(){let reply=await ask(
"POST","api/review/undo",{answer:given.at(-1)});return given.pop(),reply}}}var server=serverBackend(new URLSearchParams(location.search).get("token")??""),backend={...server,async load(){let data=await server.
load();return document.title=byId("title").textContent=data.title,backend.namesBrands=data.namesBrands,data.home&&byId("\
kicker").replaceChildren(element("a",{href:data.home},"All files")),data}};showReview(byId("review"),backend);})();
