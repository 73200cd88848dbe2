"use strict";var mediaan=(()=>{var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})},__copyProps=(to,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&
key!==except&&__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var main_exports={};__export(main_exports,{applyCommand:()=>applyCommand,areasFile:()=>areasFile,chooseShape:()=>chooseShape,
chosenItem:()=>chosenItem,csvText:()=>csvText,discardDraft:()=>discardDraft,drafts:()=>drafts,failuresText:()=>failuresText,
filterBy:()=>filterBy,focusItem:()=>focusItem,goToItem:()=>goToItem,imageCache:()=>imageCache,imageOf:()=>imageOf,jsonText:()=>jsonText,
layOutRest:()=>layOutRest,loadScorer:()=>loadScorer,mainArea:()=>mainArea,newItem:()=>newItem,notify:()=>notify,objectUrls:()=>objectUrls,
openMedium:()=>openMedium,pointAt:()=>pointAt,recordList:()=>recordList,report:()=>report,runFolder:()=>runFolder,sceneAt:()=>sceneAt,
showDetail:()=>showDetail,showList:()=>showList,showMediumSummary:()=>showMediumSummary,showMoment:()=>showMoment,sortBy:()=>sortBy,
state:()=>state,toScene:()=>toScene,toggleZoom:()=>toggleZoom,updateList:()=>updateList,updateRow:()=>updateRow,video:()=>video,
visibleItems:()=>visibleItems});var ASKED=["branding","product","call_to_action","headline_text"],confirmed=record=>({...record,source:"confirmed"});function withAreas(records,type,areas){
let ids=new Set(areas.map(({aoi_id})=>aoi_id).filter(Boolean));return[...records.filter(({aoi_id})=>!ids.has(aoi_id)).flatMap(
record=>record.type!==type?[record]:type!=="body_text"&&record.is_text?[{...record,type:"body_text"}]:[]),...areas.length?
areas.map(confirmed):[{type,none:!0}]]}function answeredRecords(records,question,body){if(body.answer==="confirm_all"){let types=new Set(
records.map(({type})=>type));return[...records.map(record=>record.none||!ASKED.includes(record.type)?record:confirmed(record)),
...ASKED.filter(type=>!types.has(type)).map(type=>({type,none:!0}))]}let brand=body.type==="branding"&&body.brand||"",byId3=new Map(
records.map(record=>[record.aoi_id,record])),picked=question.proposals.filter(({number})=>body.numbers.includes(number)).
map(proposal=>{let record=byId3.get(proposal.area_id);return record?{...record,type:body.type,label:brand||record.label}:
{type:body.type,label:brand||proposal.label,box:corners(proposal.box)}}),drawn=body.boxes.map(box=>({type:body.type,label:brand,
box:corners(box)}));return withAreas(records,body.type,[...picked,...drawn])}var corners=([x,y,width,height])=>[x,y,x+width,
y+height].map(side=>Math.round(1e5*Math.min(1,side))/1e5);function fileBackend(title,questions,recordsOf){let answers=[],
questionOf=body=>questions.find(({id})=>id===body.question);function answersAbout(mediumId){return answers.filter(body=>questionOf(
body).medium_id===mediumId)}function openQuestions3(){let complete=new Set(answers.filter(({answer})=>answer==="confirm_\
all").map(body=>questionOf(body).medium_id)),answered=new Set(answers.map(body=>body.question));return questions.filter(
({id,medium_id})=>!answered.has(id)&&!complete.has(medium_id))}function progress(){let left=openQuestions3(),undecided=new Map(
questions.filter(({verdict})=>["open","unknown"].includes(verdict.status)).map(({medium_id})=>[medium_id,!0]));return{answered:questions.
length-left.length,left:left.length,undecided:undecided.size}}function reply(body,before){let{medium_id,verdict,areas}=questionOf(
body),after=new Set(openQuestions3()),others=before.filter(question=>!after.has(question)),back=[...after].filter(question=>!before.
includes(question));return{medium:{medium_id,verdict,areas},questions:[...others,...back].map(({id})=>id),progress:progress()}}
return{namesBrands:!1,load:async()=>({title,progress:progress(),questions:openQuestions3()}),async answer(body){let before=openQuestions3();
return answers=[...answers,body],reply(body,before)},async undo(){let before=openQuestions3(),last=answers.at(-1);return answers=
answers.slice(0,-1),reply(last,before)},records(){let ids=new Set(answers.map(body=>questionOf(body).medium_id));return new Map(
[...ids].map(id=>[id,answersAbout(id).reduce((records,body)=>answeredRecords(records,questionOf(body),body),recordsOf(id))]))}}}var byId=id=>document.getElementById(id),query=selector=>document.querySelector(selector),queryAll=selector=>[...document.
querySelectorAll(selector)];function element(tag2,properties={},...children){let node=document.createElement(tag2);for(let[
key,value]of Object.entries(properties))key in node?node[key]=value:node.setAttribute(key,String(value));return node.append(
...children.filter(child=>child!=null)),node}function svgElement(tag2,attributes){let node=document.createElementNS("htt\
p://www.w3.org/2000/svg",tag2);for(let[key,value]of Object.entries(attributes))node.setAttribute(key,String(value));return node}
function announce(words){byId("detail-says").textContent=words}async function copyText(button,text,blocked){button.dataset.
words??=button.textContent;try{await navigator.clipboard.writeText(text),button.textContent="Copied"}catch{button.textContent=
blocked}setTimeout(()=>{button.textContent=button.dataset.words},2500)}function downloadFile(name,parts,type){let address=URL.
createObjectURL(new Blob(parts,{type}));element("a",{href:address,download:name}).click(),setTimeout(()=>URL.revokeObjectURL(
address),1e3)}var TYPE_NAMES={branding:"brand",product:"product",call_to_action:"call to action",headline_text:"headline"},TYPES=Object.
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
panel.brandName.value.trim())}),panel}function layOut(host,panel,picture2){let{bar,counts,changed,error,place,tag:tag2,types,
heading,why,list,brandForm,says,question,end}=panel,actions=element("div",{className:"review-actions",role:"group","aria\
-label":"Answer"},panel.confirm,panel.none,panel.draw,panel.brand,panel.undo,panel.back,panel.skip),head=element("div",{
className:"review-head"},element("p",{className:"sub"},tag2,place),types,heading,why);question.append(head,picture2,element(
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
end,reached,verdicts:verdicts2,changes},review,{skipped,unseen,last,undo:undo2,goOn,lookOn}){let heading=element("h2",{tabIndex:-1},
skipped?"That was the last question":"All questions are answered"),again=skipped?keyButton(`Answer the ${counted(skipped,
["question","questions"])} that you skipped`,"←",goOn,{className:"primary"}):null,more=unseen?keyButton(`Look at the ${counted(
unseen,["ad","ads"])} without a question`,"→",lookOn):null,report2=review.report?element("p",{},element("a",{href:review.
report},"Open the report")):null;return end.replaceChildren(heading,reached,verdicts2,changes,...[again,more,last,report2].
filter(Boolean),keyButton("Undo the last answer","U",undo2)),heading}function outline(box,polygon){let[x0,y0,x1,y1]=box,points=(polygon??[[x0,y0],[x1,y0],[x1,y1],[x0,y1]]).map(point=>point.
join(","));return["edge","line"].map(kind=>svgElement("polygon",{class:kind,points:points.join(" ")}))}function tag(text,type,box,polygon){
let[x,y]=polygon?[...polygon].sort((a,b)=>a[1]-b[1]||a[0]-b[0])[0]:box,label=element("span",{className:`area-tag type-${type}`},
text);return Object.assign(label.style,{left:`${100*Math.max(x,0)}%`,top:`max(${100*y}%, var(--tag-height))`}),label}var limited=(value,low,high)=>Math.min(Math.max(value,low),Math.max(low,high)),shortNumber=value=>Math.round(value*1e5)/
1e5,areaSize=box=>(box[2]-box[0])*(box[3]-box[1]);function bounds(points){let[xs,ys]=[0,1].map(axis=>points.map(point=>point[axis]));
return[Math.min(...xs),Math.min(...ys),Math.max(...xs),Math.max(...ys)]}function distanceFrom([x,y],[ax,ay],[bx,by]){let length=(bx-
ax)**2+(by-ay)**2,along=length?limited(((x-ax)*(bx-ax)+(y-ay)*(by-ay))/length,0,1):0;return Math.hypot(x-ax-along*(bx-ax),
y-ay-along*(by-ay))}var STILL_TOUCH_PX=12,stillPx=pointerType=>pointerType==="touch"?STILL_TOUCH_PX:4;function isClick(box,size,pointerType){
let[width,height]=[(box[2]-box[0])*size.width,(box[3]-box[1])*size.height];return Math.max(width,height)<2*stillPx(pointerType)||
Math.min(width,height)<4}function wirePresses(canvas,{onPress:onPress2,onHover:onHover2,onDrag:onDrag2,onRelease:onRelease2,
onCancel}){let press=null;function position(event){let{left,top,width,height}=canvas.getBoundingClientRect();return[limited(
(event.clientX-left)/width,0,1),limited((event.clientY-top)/height,0,1)]}function cancel(){press!==null&&(press=null,onCancel())}
canvas.addEventListener("pointerdown",event=>{if(!event.isPrimary||press!==null)return cancel();if(event.button===0)return event.
preventDefault(),canvas.setPointerCapture(event.pointerId),press={id:event.pointerId,px:[event.clientX,event.clientY],going:!1},
onPress2(position(event),event)}),canvas.addEventListener("pointermove",event=>{if(press===null)return onHover2?.(position(
event),event);if(event.pointerId===press.id)return press.going||=Math.hypot(event.clientX-press.px[0],event.clientY-press.
px[1])>=stillPx(event.pointerType),press.going?onDrag2(position(event),event):void 0}),canvas.addEventListener("pointeru\
p",event=>{event.pointerId===press?.id&&(press=null,onRelease2(position(event),event))}),canvas.addEventListener("pointe\
rcancel",cancel)}var STEP=.01,ARROWS={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]},SAME_CORNER=.04,TAG_PX=30,ZOOMS=[
2,8],NAMED_PX=200,MOST_NAMED=3,SHOWN=.8,boxOf=([x,y,width,height])=>[x,y,x+width,y+height],placeOf=([x0,y0,x1,y1])=>[x0,
y0,x1-x0,y1-y0].map(shortNumber);function shape(className,box){let group=svgElement("g",{class:className});return group.
append(...outline(box,null)),group}function reviewPicture({onPick,onType,onDraw,say:say2}){let image=element("img",{alt:"",
draggable:!1,decoding:"async"}),drawing2=svgElement("svg",{viewBox:"0 0 1 1",preserveAspectRatio:"none","aria-hidden":"t\
rue"}),tags=element("div",{"aria-hidden":"true"}),frame=element("div",{className:"review-picture",tabIndex:-1,role:"img"},
image,drawing2,tags),view=element("div",{className:"review-window"},frame),zoom=element("button",{type:"button",className:"\
review-zoom","aria-pressed":"false","aria-label":"Zoom"},element("span",{"aria-hidden":"true"},"⌕"),element("kbd",{"ar\
ia-hidden":"true"},"Z")),stage=element("div",{className:"review-stage"},view,zoom),question,picked=null,drawn=[],[draws,
cross,corner]=[!1,[.5,.5],null],press=null,others=[];function render(){let under=press?.box??(corner?bounds([corner,cross]):
null),ids=new Set(question.proposals.map(({area_id})=>area_id));others=question.areas.filter(({area_id,type})=>TYPE_NAMES[type]&&
!ids.has(area_id));let areas=areaNumbers(question),proposed=question.proposals.map(({number,box})=>shape(`proposal${areas.
includes(number)?"":" unsure"}${picked?.has(number)?" picked":""}`,boxOf(box)));drawing2.replaceChildren(...others.map(({
box})=>shape("other",boxOf(box))),...proposed,...[...drawn,...under?[under]:[]].map(box=>shape("drawn",box)));let marks=question.
proposals.map(({number,box},i)=>{let label=tag(`${number}`,"proposal",boxOf(box),null),covered=question.proposals.slice(
0,i).filter(other=>Math.abs(other.box[0]-box[0])<SAME_CORNER&&Math.abs(other.box[1]-box[1])<SAME_CORNER).length,above=box[1]*
frame.clientHeight>=TAG_PX,left=!above&&!covered&&frame.offsetLeft+box[0]*frame.clientWidth>=TAG_PX;return label.style.marginLeft=
`${left?-TAG_PX:covered*TAG_PX}px`,label.dataset.number=`${number}`,label.classList.toggle("picked",picked?.has(number)===
!0),label.classList.toggle("inside",!above),label}),at=element("i",{className:"review-cross",hidden:!draws});Object.assign(
at.style,{left:`${100*cross[0]}%`,top:`${100*cross[1]}%`});let named=others.filter(({type},i)=>i===others.findIndex(other=>other.
type===type)||others.filter(other=>other.type===type).length<=MOST_NAMED),words=(frame.clientWidth<NAMED_PX?[]:named).map(
({box,type})=>{let label=tag(TYPE_NAMES[type],"other",boxOf(box),null);return label.classList.toggle("at-right",box[0]>.75),
label});tags.replaceChildren(...words,...marks,at),frame.classList.toggle("drawing",draws)}function change(){render(),onDraw()}
function addBox(box){drawn.push(box),[draws,corner]=[!1,null],say2("Drawn. Confirm takes it, Undo drops it; another drag\
 adds a box."),change()}function setCorner(){let box=corner&&bounds([corner,cross]);return box&&box[2]>box[0]&&box[3]>box[1]?
addBox(box):(corner=cross,say2("First corner. Space sets the opposite one."),render())}image.addEventListener("error",()=>say2(
"The picture cannot be shown.")),wirePresses(frame,{onPress(at,event){let{number}=event.target.dataset??{};press={from:at,
number:number?Number(number):null,draws:draws||event.pointerType!=="touch",box:null}},onDrag(at){press?.draws&&(press.box=
bounds([press.from,at]),render())},onRelease(at,event){let done=press;if(press=null,done===null)return;if(done.box&&!isClick(
done.box,frame.getBoundingClientRect(),event.pointerType))return addBox(done.box);if(render(),draws)return;let number=done.
number??proposalAt(question.proposals,at)?.number;if(number!==void 0)return onPick(number,event.shiftKey);let other=proposalAt(
others,at);return other&&onType(other.type)},onCancel(){press=null,render()}});function toggleZoom2(){let on=zoom.getAttribute(
"aria-pressed")==="false";if(zoom.setAttribute("aria-pressed",`${on}`),view.classList.toggle("zoomed",on),frame.style.setProperty(
"--zoom","1"),on){let boxes=(question.proposals.length?question.proposals:others).map(({box})=>boxOf(box)),[x0,y0,x1,y1]=boxes.
length?bounds(boxes.flatMap(box=>[[box[0],box[1]],[box[2],box[3]]])):[0,0,1,0],[width,height]=[frame.clientWidth,frame.clientHeight],
fits=Math.min(SHOWN*view.clientWidth/Math.max(1,(x1-x0)*width),SHOWN*view.clientHeight/Math.max(1,(y1-y0)*height));frame.
style.setProperty("--zoom",`${limited(fits,ZOOMS[0],ZOOMS[1])}`),view.scrollTo({left:(x0+x1)/2*frame.clientWidth-view.clientWidth/
2,top:(y0+y1)/2*frame.clientHeight-view.clientHeight/2})}render()}return zoom.addEventListener("click",toggleZoom2),{stage,
frame,toggleZoom:toggleZoom2,show(next){question=next,[picked,drawn,draws,corner,press]=[null,[],!1,null,null],view.classList.
contains("zoomed")&&image.getAttribute("src")!==next.picture&&toggleZoom2(),image.getAttribute("src")!==next.picture&&(image.
src=next.picture),frame.setAttribute("aria-label",`${next.path}: the picture, ${next.proposals.length===1?"with one prop\
osal":`with ${next.proposals.length} proposals`}`),frame.style.setProperty("--ratio",`${next.width/next.height}`),render()},
toggle(number){picked??=new Set(drawn.length?[]:areaNumbers(question)),picked.delete(number)||picked.add(number),change()},
picked:()=>[...picked??[]].sort((a,b)=>a-b),isChanged:()=>picked!==null||drawn.length>0,drawn:()=>drawn.map(placeOf),isDrawing:()=>draws,
draw(){[draws,cross,corner]=[!draws,[.5,.5],null],say2(draws?"Drag a box on the picture, or set two opposite corners wit\
h the arrows and Space.":""),change()},cancel(){return!draws&&press?.box==null&&!drawn.length&&picked===null?!1:(press?.
box?press=null:draws?[draws,corner]=[!1,null]:[drawn,picked]=[[],null],say2(""),change(),!0)},key(event){if(!draws)return!1;
if(event.key===" "||event.key==="Enter"&&corner)setCorner();else if(event.key==="Enter")say2("Set the first corner with \
Space, or drag a box; Esc leaves drawing.");else if(event.key in ARROWS){let by=event.repeat?2*STEP:STEP;cross=cross.map(
(value,axis)=>limited(value+by*ARROWS[event.key][axis],0,1)),render()}else return!1;return!0}}}function answerQueue(backend,{onReply,onFailure,onIdle}){let waiting=[],sending=!1,failed=!1;async function send(){if(!(sending||
failed)){for(sending=!0;waiting.length&&!failed;){let[request]=waiting;try{let reply=await(request===null?backend.undo():
backend.answer(request));waiting=waiting.slice(1),onReply(request,reply)}catch(error){failed=!0,onFailure(error)}}sending=
!1,waiting.length||onIdle()}}return{push(request){waiting.push(request),send()},retry(){failed=!1,send()},drop(){let request=waiting.
shift()??null;return failed=!1,send(),request},remove(request){let i=waiting.indexOf(request);return request===null||i<0||
i===0&&!failed?!1:(waiting.splice(i,1),i===0&&(failed=!1),send(),!0)},balance:()=>waiting.reduce((sum2,request)=>sum2+(request===
null?-1:1),0),isEmpty:()=>waiting.length===0,size:()=>waiting.length,hasFailed:()=>failed}}var PREFETCHED=4;async function showReview(host,backend,last=()=>null){host.replaceChildren(element("p",{role:"status"},
"Loading the questions …"));try{reviewPage(host,backend,openReview(await backend.load()),last)}catch(problem){host.replaceChildren(
element("p",{className:"alert",role:"alert"},`The questions could not be loaded: ${problem.message}.`))}}function reviewPage(host,backend,review,last){
let stale=!1,returning=[],pictures=new Map,queue=answerQueue(backend,{onReply,onFailure,onIdle}),panel=buildPanel({confirm,
none:()=>answer("none"),draw,brand:askBrand,undo:undo2,back:()=>go(-1),skip:()=>go(1),name:nameBrand}),picture2=reviewPicture(
{say:say2,onDraw:showChoice,onType,onPick:(number,several)=>several?picture2.toggle(number):pick(number)});function say2(words){
panel.says.textContent=words}function show(){let question=shownQuestion(review);return panel.question.hidden=question===
void 0,panel.end.hidden=question!==void 0,showProgress(),say2(""),showBrandForm(!1),question===void 0?showLast().focus({
preventScroll:!0}):(picture2.show(question),panel.list.replaceChildren(...question.proposals.map(proposal=>proposalItem(
question.type,proposal,pick,picture2.toggle))),panel.list.hidden=question.proposals.length===0,panel.back.disabled=openQuestions(
review)[0]?.medium_id===question.medium_id,showWords(),showChoice(),prefetch(),panel.heading.focus({preventScroll:!0}))}
function showProgress(){let{answered,left,undecided}=progressWith(review,queue.balance()),ads=new Set(openQuestions(review).
map(({medium_id})=>medium_id)).size;Object.assign(panel.bar,{max:Math.max(1,answered+left),value:answered}),panel.counts.
textContent=`${answered} answered · ${left} left${left&&ads?` in ${counted(ads,["ad","ads"])}`:""} · ${undecided} with\
out a clear verdict${queue.size()>1?` · saving ${queue.size()} …`:""}`}function showWords(){let question=shownQuestion(
review),{medium_id,path,text,why,verdict}=question,about=questionsAbout(review,medium_id);panel.types.replaceChildren(...about.
map(other=>typeButton(review,other,question,showQuestion))),panel.types.hidden=about.length<2,panel.place.textContent=path,
panel.heading.textContent=text,panel.why.textContent=why,panel.tag.replaceChildren(verdictTag(verdict)," ")}function showChoice(){
let[picked,drawn,question]=[picture2.picked(),picture2.drawn(),shownQuestion(review)],changed=picture2.isChanged(),words=[
...picked,drawn.length?counted(drawn.length,["drawn box","drawn boxes"]):null].filter(Boolean).join(" + "),missing=listed(
missingTypes(question).map(type=>TYPE_NAMES[type]));setWords(panel.confirm,changed?`Confirm ${words||"that there is none"}`:
picture2.isDrawing()?"Confirm":missing?`All right, no ${missing}`:"All areas are right"),panel.confirm.title=changed?"":
"The areas with a solid outline are right, and none is missing",panel.confirm.setAttribute("aria-disabled",`${!changed&&
picture2.isDrawing()}`),panel.draw.setAttribute("aria-pressed",`${picture2.isDrawing()}`);let areas=changed?picked:areaNumbers(
question);for(let box of panel.list.querySelectorAll("input"))box.checked=areas.includes(Number(box.dataset.number))}function showProgressAtEnd(){
showReached(panel,review,{progress:progressWith(review,queue.balance()),written:queue.isEmpty()})}function showLast(){let goOn=()=>{
goToFirstOpen(review),show()};return showProgressAtEnd(),showEnd(panel,review,{skipped:openQuestions(review).length,unseen:unseenMedia(
review).length,last:last(),undo:undo2,goOn,lookOn})}function lookOn(){unseenMedia(review).length!==0&&(addUnseen(review),
show())}function prefetch(){let next=openQuestions(review).filter(question=>review.questions.indexOf(question)>review.at).
map(question=>question.picture),wanted=[...new Set(next)].slice(0,PREFETCHED);for(let address of wanted)pictures.has(address)||
pictures.set(address,Object.assign(new Image,{src:address}));for(let address of pictures.keys())wanted.includes(address)||
pictures.delete(address)}function answer(kind,{numbers=[],boxes=[],brand}={}){let{id,type,brand:proposed,proposals}=shownQuestion(
review),body={question:id,answer:kind,numbers,boxes,shown:proposals.map(({box})=>box),type,brand:brand??proposed};takeAnswer(
review,body),queue.push(body),show()}function pick(number){picture2.isChanged()?picture2.toggle(number):answer("pick",{numbers:[
number]})}function confirm(){let[numbers,boxes]=[picture2.picked(),picture2.drawn()];return boxes.length?answer("draw",{
numbers,boxes}):picture2.isChanged()?numbers.length?answer("pick",{numbers}):answer("none"):picture2.isDrawing()?say2("D\
raw a box first, or leave drawing."):answer("confirm_all")}function draw(){picture2.draw(),(picture2.isDrawing()?picture2.
frame:panel.heading).focus({preventScroll:!0})}function showBrandForm(on){panel.brandForm.hidden=!on,panel.brand.setAttribute(
"aria-expanded",`${on}`)}function askBrand(){if(panel.brand.hidden)return;if(showBrandForm(panel.brandForm.hidden===!0),
panel.brandForm.hidden)return panel.heading.focus({preventScroll:!0});let{brand,folder}=shownQuestion(review);return panel.
brandName.value=brand??"",panel.brandLabel.textContent=`Brand of all files in ${folder==="./"?"this folder":folder}`,panel.
brandName.focus(),panel.brandName.select()}function nameBrand(brand){brand&&answer("brand_for_folder",{numbers:picture2.
picked(),boxes:picture2.drawn(),brand})}function leave(move){return!panel.question.hidden&&picture2.drawn().length?say2(
"Confirm or undo what is drawn first."):(move(),show())}let go=by=>leave(()=>step(review,by)),showQuestion=id=>leave(()=>showAside(
review,id));function onType(type){let other=questionsAbout(review,shownQuestion(review).medium_id).find(question=>question.
type===type);other&&showQuestion(other.id)}function undo2(){if(!panel.question.hidden&&picture2.cancel())return;let here=review.
trail.length>0;if(!here&&progressWith(review,queue.balance()).answered===0)return say2("Nothing to undo.");let body=takeBack(
review);return queue.remove(body)||queue.push(null),queue.hasFailed()||(panel.error.hidden=!0),show(),say2(here?"Taken b\
ack.":"Undoing the last answer …")}function onReply(request,reply){panel.error.hidden=!0;let shown=shownQuestion(review),
[before]=questionsAbout(review,reply.medium.medium_id);stale=takeReply(review,reply)||request===null||stale,request===null&&
(returning=reply.questions),before&&showChange(before,reply.medium.verdict),showAgain(shown)}function showAgain(before){
let now=shownQuestion(review);return!(now?.id===before?.id&&JSON.stringify([now?.proposals,now?.areas])===JSON.stringify(
[before?.proposals,before?.areas]))&&!(now&&now.id===before?.id&&picture2.isChanged())?show():(now&&showWords(),showProgress())}
function showChange({path,verdict:before},verdict){let changes=before.status!==verdict.status;panel.changed.replaceChildren(
`${path.split("/").at(-1)}: `,...changes?[verdictTag(before)," → "]:[],verdictTag(verdict))}function onFailure(problem){
let retry=()=>{panel.error.hidden=!0,queue.retry()},drop=()=>{panel.error.hidden=!0,stale=!0;let body=queue.drop();body&&
takeBack(review,body),show()};panel.error.replaceChildren(...failureWords(problem,retry,drop)),panel.error.hidden=!1}async function onIdle(){
if(stale){stale=!1;let data=await backend.load().catch(()=>null);data&&queue.isEmpty()?refresh(data):stale=!0}shownQuestion(
review)===void 0&&showProgressAtEnd()}function refresh(data){let before=shownQuestion(review);takeQuestions(review,data,
returning),returning=[],showAgain(before)}let KEYS={n:()=>answer("none"),d:draw,b:askBrand,u:undo2,z:picture2.toggleZoom,
Enter:confirm,ArrowLeft:()=>go(-1),ArrowRight:()=>go(1),ArrowUp:()=>leave(()=>turn(review,-1)),ArrowDown:()=>leave(()=>turn(
review,1))},END_KEYS={u:undo2,ArrowLeft:()=>go(-1),ArrowRight:lookOn};function takeKey(event){let asks=shownQuestion(review)!==
void 0;if(event.key==="Escape")return asks&&escape();if(event.target.matches("input[type=text]"))return!1;let key=event.
key.length===1?event.key.toLowerCase():event.key;if(event.ctrlKey||event.metaKey)return key==="z"&&!event.shiftKey&&run(
undo2);if(asks&&picture2.key(event))return!0;let digit=/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];if(digit!==void 0&&
asks)return event.repeat||run(()=>onDigit(Number(digit),event.shiftKey));if(key==="Enter"&&event.target.closest("button,\
 a")||event.repeat)return!1;let act=(asks?KEYS:END_KEYS)[key];return act!==void 0&&run(act)}function run(act){return act(),
!0}function escape(){return panel.brandForm.hidden?picture2.cancel()&&run(()=>panel.heading.focus({preventScroll:!0})):run(
askBrand)}function onDigit(number,several){return shownQuestion(review).proposals.some(proposal=>proposal.number===number)?
several?picture2.toggle(number):pick(number):say2(`There is no proposal ${number}.`)}function onKey2(event){if(!host.isConnected||
panel.end.parentNode!==host)return removeEventListener("keydown",onKey2);!event.defaultPrevented&&!event.isComposing&&!event.
altKey&&takeKey(event)&&event.preventDefault()}panel.brand.hidden=backend.namesBrands===!1,layOut(host,panel,picture2.stage),
addEventListener("keydown",onKey2),addEventListener("beforeunload",event=>{queue.isEmpty()||event.preventDefault()}),show()}function runFolder(){let folder=location.protocol==="file:"&&decodeURIComponent(location.pathname).match(/^(.*)\/report\/[^/]*$/)?.[1];
return folder?/^\/[A-Za-z]:\//.test(folder)?folder.slice(1):folder:"RUN"}function shellQuoted(text){return/^[A-Za-z]:/.test(
text)?`"${text}"`:/^[\w@%+=:,./-]+$/.test(text)?text:`'${text.replaceAll("'","'\\''")}'`}var applyCommand=()=>`mediaan a\
ois apply ${shellQuoted(runFolder())} ~/Downloads/areas.json`;var imageCache=new Map,objectUrls=[];function embeddedText(kind,medium){return document.getElementById(`${kind}-${medium.
id}`)?.textContent??null}function embeddedImages(medium){let images=imageCache.get(medium.id)??JSON.parse(embeddedText("\
pictures",medium)??"{}");return imageCache.delete(medium.id),imageCache.set(medium.id,images),imageCache.size>8&&imageCache.
delete(imageCache.keys().next().value),images}function imageOf(medium,map){let address=medium.maps[map];return address===
!0?embeddedImages(medium)[map]:address}function videoOf(medium,name){let address=medium.videos[name];if(address!==!0)return address;
let bytes=Uint8Array.from(atob(embeddedText(name,medium)),letter=>letter.charCodeAt(0));return objectUrls.push(URL.createObjectURL(
new Blob([bytes],{type:"video/mp4"}))),objectUrls.at(-1)}function releaseVideos(){for(let address of objectUrls.splice(0))
URL.revokeObjectURL(address)}var report=JSON.parse(document.getElementById("data").textContent??""),metricOf=new Map(report.metrics.map(metric=>[metric.
name,metric])),hasDetail=index=>report.media[index].done&&report.media[index].id!==null,judged=report.media.some(medium=>medium.
done&&medium.verdict!=="unknown"),countWords=n=>`${n.toLocaleString("en")} ${report.noun[n===1?0:1]}`,collator=new Intl.
Collator(void 0,{numeric:!0}),runAreas=medium=>medium.run_areas??medium.areas,served=JSON.parse(document.querySelector('\
meta[name="mediaan-served"]')?.getAttribute("content")??"null");function storeLocally(key,value){try{localStorage.setItem(`mediaan-${key}`,value)}catch{}}function readLocally(key){try{
return localStorage.getItem(`mediaan-${key}`)}catch{return null}}var LIST_DEFAULTS={look:"gallery",sort:judged?"verdict":report.metrics[0]?.name??"name",order:"first",metric:report.metrics[0]?.
name,text:"",status:"all",kind:"all",purpose:"all",brand:"all",platform:"all",domain:"all",folder:"",area:"all",against:"\
all",rules:"all",why:"all",verdict:"all",reason:"all",from:null,to:null},nothing=null,state={list:{...LIST_DEFAULTS},shown:[],
laying:null,cardHeat:readLocally("card-heat")!=="off",picks:[],sides:[],sidesMap:null,open:nothing,layers:{left:"origina\
l",right:"heat"},divided:!1,opacity:100,window:"total",areasShown:!0,hiddenTypes:new Set,areaOrder:{by:null,rising:!1},allAreas:!1,
pointedArea:null,chosenArea:null,preview:"preview_heat",curves:new Set(["focus","cognitive_demand"]),timeline:nothing,now:0,
seekTo:null,untouched:!0,editor:{draft:nothing,chosen:null,corner:null,path:nothing,shape:null,cross:[.5,.5],newType:"br\
anding",gesture:null}},openMedium=()=>report.media[state.open],listeners={filters:[],list:[],window:[],moment:[],draft:[]};
function listen(topic,listener){listeners[topic].push(listener)}function notify(topic){for(let listener of listeners[topic])
listener()}function shareOfTime(seconds){return Math.min(Math.max(seconds/state.timeline.end,0),1)}function lastUntil(times,seconds){
let[low,high]=[0,times.length];for(;high-low>1;){let middle=low+high>>1;times[middle]<=seconds+1e-4?low=middle:high=middle}
return low}var pointAt=seconds=>lastUntil(state.timeline.t,seconds);function sceneAt(seconds){return lastUntil(state.timeline.
scenes.at,seconds)}function isDense(){return state.timeline.scenes.start.length>150}var places=new WeakMap;function placesOf(area){if(places.has(area))return places.get(area);let{t,keys,spans}=area.track,
ticks=t.slice(0,1);for(let i=1;i<t.length;i+=2)for(let n=0;n<t[i+1];n+=1)ticks.push(ticks.at(-1)+t[i]);let times=ticks.map(
tick=>tick/report.areas.ticks),kept=[];for(let i=0;i<keys.length;i+=5)kept.push({at:keys[i],t:times[keys[i]],box:keys.slice(
i+1,i+5).map(side=>side/report.areas.grid)});let decoded={times,kept,keptTimes:kept.map(key=>key.t),spans};return places.
set(area,decoded),decoded}function between(a,b,seconds){if(!b||b.t<=a.t||seconds<=a.t)return a.box;let part=Math.min((seconds-
a.t)/(b.t-a.t),1);return a.box.map((side,i)=>side+part*(b.box[i]-side))}function spansOf(area,end){return area.track?area.
track.spans:[[area.t0??0,area.t1??end]]}function trackBox(area,seconds){let{kept,keptTimes,spans}=placesOf(area),span=spans.
find(([from,to])=>seconds>=from-.001&&seconds<to-.001);if(!span)return null;let i=lastUntil(keptTimes,seconds);return between(
kept[i],kept[i+1]?.t<span[1]?kept[i+1]:null,seconds)}function boxAt(area,seconds){return area.track?trackBox(area,seconds):
seconds>=(area.t0??0)-.001&&seconds<(area.t1??1/0)?area.box:null}function sightings(area){return placesOf(area).times.map(
t=>({t,box:trackBox(area,t)??area.box}))}var drafts=new Map,newestKey=0;function newKey(){return newestKey+=1,newestKey}var keptUnder=()=>`mediaan-areas ${location.
pathname} ${report.areas.version}`;function foundItem(area,i){let polygon=area.track?null:area.polygon??null;return{key:newKey(),
type:area.type,label:area.label,box:area.box,polygon,t0:area.t0??null,t1:area.t1??null,found:i,moved:!1}}function draftOf(medium){
if(!drafts.has(medium.id)){let list=runAreas(medium).map(foundItem);drafts.set(medium.id,{medium,start:list,saved:list,list,
past:[],future:[]})}return drafts.get(medium.id)}function changedDraft(medium){let draft=drafts.get(medium.id);return draft!==
void 0&&draft.list!==draft.start}function draftWords(medium){if(!changedDraft(medium))return null;let here=medium.areas===
runAreas(medium)?"The areas shown are those of the run.":"Numbers marked “scored here” were computed in this page.";
return served?`You have edited these areas and not saved them yet. ${here}`:`You have edited these areas. ${here} Save t\
hem as a file and apply it to the run: this keeps them and updates ranks and checks.`}var unsavedDrafts=()=>[...drafts.values()].
filter(draft=>draft.list!==draft.saved);function recordList(draft,list,before=draft.list){list!==before&&(draft.past.push(
before),draft.future=[],draft.list=list,keepDrafts())}function moveThrough(draft,from,to){return from.length?(to.push(draft.
list),draft.list=from.pop(),keepDrafts(),!0):!1}function discardDraft(draft){Object.assign(draft,{list:draft.start,saved:draft.
start,past:[],future:[]}),keepDrafts()}function keepDrafts(){let kept=[...drafts.values()].filter(draft=>draft.list!==draft.
start);try{sessionStorage.setItem(keptUnder(),JSON.stringify(kept.map(draft=>[draft.medium.id,draft.list,draft.list===draft.
saved])))}catch{}}function recallDrafts(){let kept=[];try{kept=JSON.parse(sessionStorage.getItem(keptUnder()))??[]}catch{}
for(let[id,list,saved]of kept){let medium=report.media.find(candidate=>candidate.id===id);if(!medium)continue;let draft=draftOf(
medium);for(let item of list)item.key=newKey();Object.assign(draft,{list,past:[draft.start],saved:saved?list:draft.start})}}
function onLeaving(event){unsavedDrafts().length&&event.preventDefault()}var shortLabel=text=>[...text].slice(0,report.areas.
longest_label).join("");function areaRecord(item,medium){let area=item.found===null?null:runAreas(medium)[item.found],unmoved=area!==
null&&!item.moved,record={type:item.type,label:shortLabel(item.label),box:item.box},polygon=unmoved?area.polygon:item.polygon;
return polygon&&(record.polygon=polygon),item.t0!==null&&(record.t0_s=item.t0),item.t1!==null&&(record.t1_s=item.t1),unmoved&&
area.track&&(record.track=sightings(area).map(({t,box})=>[t,...box.map(shortNumber),area.confidence??1])),area&&(record.
aoi_id=area.id),record}var areaRecords=({list,medium})=>list.map(item=>areaRecord(item,medium));function recordsFile(entries){
return`{
${entries.map(([medium,records])=>{let lines=records.map(record=>`  ${JSON.stringify(record)}`).join(`,
`);return`${JSON.stringify(medium.paths[0])}: [${lines?`
${lines}
`:""}]`}).join(`,
`)}
}
`}var areasFile=saved=>recordsFile(saved.map(draft=>[draft.medium,areaRecords(draft)]));function saveDrafts(saved){downloadFile(
"areas.json",[areasFile(saved)],"application/json");for(let draft of saved)draft.saved=draft.list;keepDrafts()}var backends=new Map,unsaved=!1,questionsAbout2=medium=>served&&!medium.areas.length||!medium.maps.original||medium.scoring===
"no_densities"?[]:medium.questions??[];function wholeQuestions(medium){let{id,width,height,brand,verdict,paths}=medium,areas=runAreas(
medium).map((area,i)=>({number:i+1,box:placeOf(area.box),type:area.type,label:area.label,confidence:area.confidence??null,
area_id:area.id})),facts={medium_id:id,path:paths[0],folder:"",picture:imageOf(medium,"original"),width,height,brand,verdict:{
status:verdict,text:report.words.verdicts[verdict]},areas};return questionsAbout2(medium).map(question=>({...question,...facts}))}
function showQuestionsButton(medium){let n=questionsAbout2(medium).length;byId("answer-questions").hidden=n===0,byId("an\
swer-questions").textContent=`Answer ${n===1?"a question":`${n} questions`} about its areas`}function backendOf(medium){
if(!backends.has(medium.id)){let records=()=>areaRecords(draftOf(medium)).map(record=>({...record,is_text:runAreas(medium).
some(({id,text})=>id===record.aoi_id&&text)}));backends.set(medium.id,fileBackend(medium.name,wholeQuestions(medium),records))}
return backends.get(medium.id)}function saveAnswers(){let entries=report.media.filter(({id})=>backends.get(id)?.records().
size).map(medium=>[medium,backends.get(medium.id).records().get(medium.id).map(({is_text:_,...record})=>record.label?{...record,
label:shortLabel(record.label)}:record)]);downloadFile("areas.json",[recordsFile(entries)],"application/json"),unsaved=!1}
function savingWords(){let save=element("button",{type:"button",className:"primary"},"Save the answers"),copy=element("b\
utton",{type:"button"},"Copy"),how=element("p",{hidden:!0},"Saved as ",element("strong",{},"areas.json"),". To put the a\
nswers into the run, and to update verdicts, use: ",element("code",{},applyCommand())," ",copy);return save.addEventListener(
"click",()=>{saveAnswers(),how.hidden=!1}),copy.addEventListener("click",()=>copyText(copy,applyCommand(),"Copying is bl\
ocked here: select the text")),element("div",{className:"review-saving"},element("p",{},"Verdicts change once the answer\
s are in the run. You can answer about other files first: one file takes all."),save,how)}function openQuestions2(){if(served)
return location.assign(served.review);let backend=backendOf(openMedium());byId("review").replaceChildren(),byId("questio\
ns").showModal(),showReview(byId("review"),{...backend,answer(body){return unsaved=!0,backend.answer(body)}},savingWords)}
function wireAnswers(){byId("answer-questions").addEventListener("click",openQuestions2),byId("close-questions").addEventListener(
"click",()=>byId("questions").close()),byId("questions").addEventListener("close",()=>byId("review").replaceChildren()),
addEventListener("beforeunload",event=>{unsaved&&event.preventDefault()})}var AREA_HOSTS=["areas-on-picture","areas-on-video"],areaUnder=target=>{let marked2=target.closest?.("[data-area]");return marked2?
Number(marked2.dataset.area):null};function showHighlight(){let lit=state.pointedArea??state.chosenArea;for(let part of queryAll(
"#detail [data-area]"))part.classList.toggle("lit",Number(part.dataset.area)===lit);for(let row of byId("area-table").tBodies[0].
rows)row.classList.toggle("picked",Number(row.dataset.area)===state.chosenArea);for(let host of AREA_HOSTS)byId(host).classList.
toggle("dimmed",lit!==null)}function pointToArea(i){state.pointedArea!==i&&(state.pointedArea=i,showHighlight())}function toggleArea(i){
state.chosenArea=state.chosenArea===i?null:i,showHighlight()}function chooseShape(i){if(toggleArea(i),state.chosenArea===
null)return;let row=query(`#area-table tr[data-area="${i}"]`);row?.classList.contains("beyond")&&!state.allAreas&&byId("\
more-areas").click(),row?.scrollIntoView({block:"nearest"})}var focusedArea=()=>areaUnder(document.activeElement.closest(
"#area-table tbody tr")??document.body);function formatValue(value,metric){return metric.unit==="count"&&Number.isInteger(value)?value.toFixed(0):value.toFixed(
metric.decimals)}function clock(seconds,decimals=1){let unit=10**decimals,units=Math.round(seconds*unit),[hours,minutes]=[
Math.floor(units/unit/3600),Math.floor(units/unit/60)%60],rest=(units%(60*unit)/unit).toFixed(decimals).padStart(decimals?
decimals+3:2,"0");return hours?`${hours}:${String(minutes).padStart(2,"0")}:${rest}`:`${minutes}:${rest}`}function signed(points){
let size=Math.abs(points),text=size<.95?size.toFixed(1):size.toFixed(0);return Number(text)===0?"0":`${points<0?"−":"+"}${text}`}
var unbroken=text=>text.replaceAll(/(\d) (?=%|s\b)/g,"$1 ").replaceAll(" ± "," ± ");function percentWords(percentile){
return percentile<1?"fewer than 1 %":`${Math.floor(percentile)} %`}var withFullStop=text=>text?text.replace(/[^.]$/,"$&."):
"";function rankOf(standing2,medium){return standing2&&standing2.of>1?`Rank ${standing2.rank} of ${standing2.of.toLocaleString(
"en")} ${medium.moves?"videos":"images"}.`:null}var benchmarks=report.benchmarks;function rangeOf(packed){if(packed==null)return null;if(!Array.isArray(packed))return{reason:benchmarks.
reasons[packed]};let[population,,sentence2,number,percentile]=packed,text=sentence2<0?null:benchmarks.sentences[sentence2].
split("	").join(number),[norm,why,fallback]=benchmarks.populations[population],texts={why:benchmarks.texts[why],fallback:benchmarks.
texts[fallback]};return{...benchmarks.norms[norm],...texts,sentence:text,percentile,...placesIn(packed)}}function placesIn([
,code]){let[category,position]=[Math.floor(code/10),code%10].map(place=>place>0?place-1:null);return{category,position}}
function packedRange(medium,name){return medium.ranges[name]?.[medium.scores[name]?.time]}var scoreRange=(medium,name)=>rangeOf(
packedRange(medium,name));function percentileOf(index){let packed=packedRange(report.media[index],state.list.metric);return Array.
isArray(packed)?packed[4]:null}function populationWords(range){let title=benchmarks.titles[range.norm_set]??range.norm_set;
return range.segment==="all"?title:`${title}, ${partWords(range.segment)}`}function partWords(text){return text.replace(
/(\w+)=(\w+)/g,(_,key,value)=>`${key}: ${value.replaceAll("_"," ")}`)}function fallbackWords({fallback}){return fallback?
partWords(withFullStop(fallback[0].toUpperCase()+fallback.slice(1))):""}var rankWords=(range,higherIsBetter=!1)=>{let noun=benchmarks.
nouns[range.norm_set];return`${higherIsBetter?"beats":"higher than"} ${percentWords(range.percentile)} of ${range.n}${noun?
` ${noun}`:""}`},positionClass=position=>position===null?"":benchmarks.positions[position].replace(" ","_");function categoryChip(range,words=!0){
let name=benchmarks.categories[range.category],aim=range.position===null?null:element("span",{className:"hidden"},`, ${benchmarks.
positions[range.position]} the target range`);return element("span",{className:`stand c${range.category} ${positionClass(
range.position)}`},words?name:element("span",{className:"hidden"},name),aim)}function targetMark(range){if(range?.category===
void 0||range.position===null)return null;let place=positionClass(range.position);return element("span",{className:`targ\
et-mark ${place}`},element("span",{"aria-hidden":"true"},report.words.target_signs[place]),element("span",{className:"hi\
dden"},`${benchmarks.positions[range.position]} the target range`))}function standingCells(medium,name){if(benchmarks===
null)return[];let range=scoreRange(medium,name);return range===null||range.category===void 0?[null,null,null]:[range.percentile,
positionClass(range.position)||null,benchmarks.categories[range.category].toLowerCase().replace(" ","_")]}var standingHeads=name=>benchmarks===
null?[]:[`${name}_percentile`,`${name}_position`,`${name}_category`];function repeatability(metric,value,medium){let curve=report.repeatability[metric];if(medium.moves||value==null||!curve)
return null;let after=curve.value.findIndex(knot=>knot>=value);if(after<=0)return report.statistics.z90*(after===0?curve.
sd[0]:curve.sd.at(-1));let part=(value-curve.value[after-1])/(curve.value[after]-curve.value[after-1]);return report.statistics.
z90*(curve.sd[after-1]+part*(curve.sd[after]-curve.sd[after-1]))}function plusMinus(moves,show){let text=moves===null?"":
show(moves);return Number(text)?`± ${text}`:""}var areaTitle=new Map(report.areas.types.map(type=>[type.name,type.title]));function areaName(area){let firstLine=area.label.
split(`
`)[0];return!firstLine||firstLine===area.type?areaTitle.get(area.type):area.type!=="other"?firstLine:firstLine==="offer"?
"Offer or date":firstLine[0].toUpperCase()+firstLine.slice(1)}var areaMetrics=report.areas.metrics,areaMetric=name=>areaMetrics.
findIndex(metric=>metric.name===name),areaColumns=()=>report.areas.columns.map(areaMetric).filter(i=>i>=0);function areaScore(area,metric,time=state.
window){return area.scores[metric]?.[report.areas.times.indexOf(time)]??null}var areaValue=(area,metric,time)=>{let score=areaScore(
area,metric,time);return Array.isArray(score)?score[0]:null};function areaDigits(value,metric,beside=value){return metric.
unit==="s"?value.toFixed(beside<10?2:1):metric.unit==="%"?value.toFixed(beside<9.95?1:0):value.toFixed(beside<9.995?2:1)}
var areaPlusMinus=(value,metric,medium)=>plusMinus(repeatability(metric.name,value,medium),moves=>areaDigits(moves,metric,
value));function mainArea(medium,type){let ofType=runAreas(medium).filter(area=>area.type===type),drawn=ofType.filter(area=>area.
confidence===void 0),surest=Math.max(...ofType.map(area=>area.confidence??0)),counted2=drawn.length?drawn:ofType.filter(
area=>area.confidence>=surest/2),attention=areaMetric("attention");return counted2.sort((a,b)=>(areaValue(b,attention,"t\
otal")??0)-(areaValue(a,attention,"total")??0))[0]}var oneLine=text=>text.replace(/\s+/g," ").trim();function labelsText(area){
return!!area.text&&oneLine(area.text).startsWith(oneLine(area.label.replace(/…$/,"")))}var areaHeading=area=>area.text&&
(area.type==="other"||labelsText(area))?oneLine(area.text):areaName(area);function areaRange(area,metric,time=state.window){
let times=area.ranges?.[metric];return times?rangeOf(times[report.areas.times.indexOf(time)]):null}function areaChip(area,i,time=state.
window,words=!1){let range=areaRange(area,i,time);if(range===null||range.category===void 0)return null;let chip=categoryChip(
range,words);return chip.title=areaWords(range,areaScore(area,i,time),areaMetrics[i]),chip}function areaWords(range,score,metric){
return range.sentence??`${metric.title}: ${areaDigits(score[0],metric)}${report.words.units[metric.unit]??""}, ${rankWords(
range)}.`}function areaStanding(area){let compared=areaColumns().map(i=>({i,range:areaRange(area,i)})).filter(({range:range2})=>range2?.
category!==void 0);if(!compared.length)return null;let items=compared.map(({i,range:range2})=>element("li",{},categoryChip(
range2),element("span",{},areaWords(range2,areaScore(area,i),areaMetrics[i])))),[{range}]=compared,population=`Compared \
with ${areaTitle.get(area.type).toLowerCase()} areas of ${populationWords(range)} (n = ${range.n}). ${fallbackWords(range)}\
 ${range.why??""}`;return element("td",{role:"cell",className:"area-standing"},element("ul",{},...items),element("p",{className:"\
fine"},population.trim()))}function areaCell(area,i){let metric=areaMetrics[i],score=areaScore(area,i),cell=element("td",
{role:"cell"});return score===null?cell.append(element("span",{className:"none",title:"Not defined for this time"},"–")):
Array.isArray(score)?cell.append(element("b",{},areaDigits(score[0],metric))," ",element("span",{className:"plus-minus"},
areaPlusMinus(score[0],metric,openMedium())),areaChip(area,i)??""):cell.append(element("span",{className:"none",title:score},
"n/a")),cell}var video=byId("video");function inPreview(seconds){let i=pointAt(seconds),gap=state.timeline.pooled>1?state.timeline.interval:
(state.timeline.t[i+1]??state.timeline.t[i]+state.timeline.interval)-state.timeline.t[i];return seconds+gap/4}function seek(seconds){
state.seekTo=seconds,!(video.readyState===0||video.seeking)&&(state.seekTo=null,video.currentTime=seconds)}function onSeekable(){
state.seekTo!==null&&seek(state.seekTo)}function showMoment(seconds){state.untouched=!1,state.now=Math.min(Math.max(seconds,
0),state.timeline.end),hasPreview()&&seek(inPreview(state.now)),notify("moment")}function hasPreview(){return!!report.media[state.
open]?.videos[state.preview]}var FEW_LANES=8,allLanes=!1;function laneBlock([from,to],area){let block=element("i",{className:`type-${area.type}`});return Object.
assign(block.style,{left:`${100*shareOfTime(from)}%`,width:`${100*(shareOfTime(to)-shareOfTime(from))}%`}),block}function laneOf(area,i){
let name=`${i+1} ${areaTitle.get(area.type)}${area.label?`: ${areaName(area)}`:""}`,lane=element("div",{className:"lane",
title:name},element("span",{},`${i+1}`));return lane.dataset.area=`${i}`,lane.append(...spansOf(area,state.timeline.end).
map(span=>laneBlock(span,area))),lane.addEventListener("click",event=>{let box=lane.getBoundingClientRect();state.chosenArea=
i,showMoment(state.timeline.t[pointAt((event.clientX-box.left)/box.width*state.timeline.end)])}),lane}function showLanes(medium){
let shown=medium.areas.map((area,i)=>({area,i})).filter(({area})=>!state.hiddenTypes.has(area.type)),many=state.timeline!==
null&&shown.length>FEW_LANES;byId("all-lanes").hidden=!many,byId("all-lanes").textContent=allLanes?"Fewer lanes":`All ${shown.
length} areas`;let lanes=state.timeline===null?[]:shown.slice(0,many&&!allLanes?FEW_LANES:shown.length).map(({area,i})=>laneOf(
area,i));byId("lanes").replaceChildren(...lanes,...lanes.length?[element("i",{className:"cursor"})]:[])}function toggleLanes(){
allLanes=!allLanes,showLanes(report.media[state.open])}var MOST_TAGS=10;function areaShape(area,i,box){let group=svgElement("g",{class:`area type-${area.type}`});return group.
dataset.area=`${i}`,group.append(...outline(box,area.track?null:area.polygon)),group}function drawAreas(host,seconds){let visible=report.
media[state.open].areas.map((area,i)=>({area,i,box:state.hiddenTypes.has(area.type)?null:boxAt(area,seconds)})).filter(({
box})=>box).sort((a,b)=>areaSize(b.box)-areaSize(a.box)),canvas=svgElement("svg",{viewBox:"0 0 1 1",preserveAspectRatio:"\
none","aria-hidden":"true"});canvas.append(...visible.map(({area,i,box})=>areaShape(area,i,box)));let attention=areaMetric(
"attention"),ranked=[...visible].sort((a,b)=>(areaValue(b.area,attention)??0)-(areaValue(a.area,attention)??0)),tagged=new Set(
ranked.slice(0,MOST_TAGS)),tags=visible.map(entry=>{let{area,i,box}=entry,label=tag(`${i+1}`,area.type,box,area.track?null:
area.polygon);return label.dataset.area=`${i}`,label.classList.toggle("minor",!tagged.has(entry)),label.append(seenBy(area)??
"",element("b",{},tagWords(area))),label});host.replaceChildren(canvas,...tags),showHighlight()}function seenBy(area){let i=areaMetric(
"percentage_seen"),seen=i<0?null:areaScore(area,i);return Array.isArray(seen)?element("i",{},`${seen[0].toFixed(0)} %`):
null}function tagWords(area){let i=areaMetric("percentage_seen"),seen=i<0?null:areaScore(area,i);if(!Array.isArray(seen))
return areaName(area);let moves=areaPlusMinus(seen[0],areaMetrics[i],openMedium());return`${areaName(area)} · seen by ${areaDigits(
seen[0],areaMetrics[i])}${moves&&` ${moves}`} %${area.here?", scored here":""}`}function showAreasOnVideo(){state.timeline!==
null&&drawAreas(byId("areas-on-video"),state.now)}function showShapes(medium){for(let id of AREA_HOSTS)byId(id).replaceChildren();
return medium.moves?showAreasOnVideo():drawAreas(byId("areas-on-picture"),0)}function swatch(type){let sample=svgElement(
"svg",{class:`swatch type-${type}`,viewBox:"0 0 34 16","aria-hidden":"true"});return sample.append(svgElement("rect",{class:"\
ground",width:34,height:16,rx:4}),svgElement("path",{class:"line",d:"M4 8H30"})),sample}function scoreOf(index,name=state.list.metric){return report.media[index].scores[name]}function valueOf(index,name=state.
list.metric){return scoreOf(index,name)?.value??null}function percentOfRange(value,metric){let share=(value-metric.low)/
(metric.high-metric.low);return`${100*Math.min(Math.max(share,0),1)}%`}function scoreBar(value,metric,medium){let moves=repeatability(
metric.name,value,medium),bar=element("span",{className:moves===null?"bar exact":"bar"});return bar.style.setProperty("-\
-v",percentOfRange(value,metric)),bar.style.setProperty("--lo",percentOfRange(value-(moves??0),metric)),bar.style.setProperty(
"--hi",percentOfRange(value+(moves??0),metric)),bar}function scorePlusMinus(value,metric,medium){let text=plusMinus(repeatability(
metric.name,value,medium),moves=>formatValue(moves,metric));return element("span",{className:"plus-minus"},text)}function agreementWords({
agreement},medium){if(medium.moves)return"";let words=agreement[medium.domain??""]??agreement.any;return words?`Agreemen\
t with people: ${words}.`:Object.keys(agreement).length?`It was not compared with people on ${medium.domain?`${medium.domain}\
s`:"such images"}.`:"It was not compared with people."}function firstSign(){return metricOf.get(state.list.metric)?.direction===
"lower"?-1:1}function proxyBadge(name){return metricOf.get(name).basis==="proxy"?element("span",{className:"badge proxy"},
"estimate"):null}function aboutLink(metric){return element("a",{className:"about",href:`#about-${metric.name}`,title:`Wh\
at ${metric.title} means`},metric.title)}var SHEET="contact_sheet",PREFIXES={total:"",start:"first_two_",end:"last_two_"},mapOf=new Map(report.maps.map(spec=>[spec.
name,spec]));function mapTitle(name){return mapOf.get(name)?.title??{original:"Original",[SHEET]:"Scenes"}[name]??name.replaceAll(
"_"," ")}function mapOrder(name){if(name==="original")return-1;let index=report.maps.findIndex(spec=>spec.name===name);return index<
0||name===SHEET?report.maps.length:index}var layerOf=name=>name.replace(/^(first|last)_two_/,""),layersOf=medium=>Object.
keys(medium.maps).filter(name=>layerOf(name)===name&&name!==SHEET).sort((a,b)=>mapOrder(a)-mapOrder(b));function mapAt(layer,medium){
let name=`${PREFIXES[state.window]}${layer}`;return medium.maps[name]?name:layer}function legend(bar){let colours2=element(
"i");colours2.style.background=bar.gradient;let ticks=bar.ticks.map(([place,text])=>element("span",{style:`left:${place}\
%`},text));return element("span",{className:"legend"},colours2,...ticks)}function canDraw(medium){return medium.folds.length?
!1:medium.moves?["preview","preview_heat","preview_fog"].some(name=>medium.videos[name]):Object.keys(medium.maps).length>
0}var WINDOW_TITLES={total:"Whole",start:"First 2 s",end:"Last 2 s"};function windowsOf(medium){return Object.keys(medium.
maps).some(name=>layerOf(name)!==name)||medium.areas.length?report.areas.times:[]}function setWindow(time){state.window=
time,notify("window"),announce(`${WINDOW_TITLES[time]}: maps, areas and their numbers`)}var FEW_AREAS=8;function areaRows(medium){let order=medium.areas.map((_,i)=>i);return state.areaOrder.by===null?state.areaOrder.
rising?order.reverse():order:(state.areaOrder.by==="name"?order.sort((a,b)=>collator.compare(areaName(medium.areas[a]),areaName(
medium.areas[b]))):order.sort((a,b)=>byScore(medium.areas[a],medium.areas[b])||a-b),state.areaOrder.by==="name"&&!state.
areaOrder.rising?order.reverse():order)}function byScore(a,b){let metric=Number(state.areaOrder.by),[va,vb]=[areaValue(a,
metric),areaValue(b,metric)];return va===null||vb===null?+(va===null)-+(vb===null):state.areaOrder.rising?va-vb:vb-va}function sortAreas(by){
let first=by==="name"||areaMetrics[by].direction==="lower",again=state.areaOrder.by===by;state.areaOrder.rising=again?!state.
areaOrder.rising:first,state.areaOrder.by=again&&state.areaOrder.rising===first?null:by,state.areaOrder.by===null&&(state.
areaOrder.rising=!1),showAreaTable(report.media[state.open]),query(`#area-table [data-by="${by}"]`).focus()}function setTableWindow(time){
setWindow(time),query(`#area-times [data-time="${time}"]`).focus()}function areaHead(by,title,under,words){let button=element(
"button",{type:"button",title:words??""},title);button.dataset.by=`${by}`,button.addEventListener("click",()=>sortAreas(
by));let cell=element("th",{scope:"col",role:"columnheader"},button,under?element("small",{},under):null);return state.areaOrder.
by===by&&cell.setAttribute("aria-sort",state.areaOrder.rising?"ascending":"descending"),cell}function scoreHead(i){let metric=areaMetrics[i],
unit=metric.unit==="ratio"?"times":metric.unit;return areaHead(i,metric.title,unit,`${metric.title}. ${metric.caption} ${agreementWords(
metric,openMedium())}`)}function areaFacts(area){let kind=area.type==="other"&&area.text?areaName(area):areaTitle.get(area.
type),sure=area.confidence===void 0?area.method:`${Math.round(100*area.confidence)} % sure`,line=area.line===void 0?null:
`text ${area.line.toFixed(1)} % of the height`,contrast=area.line===void 0?null:area.contrast===void 0?"contrast unknown":
`contrast ${area.contrast.toFixed(1)}:1`,read=area.line===void 0||area.text?null:"not read",legible=area.legible===void 0?
null:element("span",{className:area.legible?"legible":"hard"},area.legible?"legible":"hard to read"),facts=[kind===areaHeading(
area)?null:kind,sure,state.timeline?areaTimes(area):null,read,line,contrast,legible].filter(Boolean);return element("spa\
n",{className:"sub",title:area.method},...facts.flatMap((fact,i)=>i?[" · ",fact]:[fact]))}function areaTranscription(area){
return!area.text||oneLine(area.text)===areaHeading(area)?null:element("q",{className:"says",title:area.text},area.text.replaceAll(
`
`," / "))}function areaTimes(area){let seconds=spansOf(area,state.timeline.end),spans=seconds.slice(0,3).map(([from,to])=>`${clock(
from)}–${clock(to)}`).join(", "),more=seconds.length>3?` and ${seconds.length-3} more`:"";return`on screen ${spans}${more}`}
function areaRow(area,i){let go=element("button",{type:"button",className:"area-go",title:area.text??""},areaHeading(area)),
number=element("span",{className:`area-number type-${area.type}`,"aria-hidden":"true"},`${i+1}`),about=[areaFacts(area),
areaTranscription(area)],name=element("th",{scope:"row",role:"rowheader"},number,element("div",{},go,...about)),row=element(
"tr",{role:"row"},name,...areaColumns().map(column=>areaCell(area,column)),areaStanding(area));return row.dataset.area=`${i}`,
row.addEventListener("click",()=>chooseArea(area,i)),row}function chooseArea(area,i){toggleArea(i),state.timeline!==null&&
state.chosenArea===i&&boxAt(area,state.now)===null&&showMoment(spansOf(area,state.timeline.end)[0][0])}function timeButton(time){
let button=element("button",{type:"button","aria-pressed":`${state.window===time}`},WINDOW_TITLES[time]);return button.dataset.
time=time,button.addEventListener("click",()=>setTableWindow(time)),button}function areasNote(medium){if(changedDraft(medium))
return draftWords(medium);if(served&&medium.areas.length===0)return"None yet. Find brand, product, headline, text, faces\
 and people, or draw your own.";let run=query("#areas-overview [data-run]")!==null;return medium.areas.length===0&&run?`\
This run has none. Find them with: mediaan aois detect ${shellQuoted(runFolder())} PATH, or draw your own.`:medium.areas.
length===0?"None were found. You can draw your own.":[medium.brand_attention===null?null:`${medium.brand?"The brand":"It\
s branding"} gets ${medium.brand_attention} in all.`,medium.moves?"Choose an area to go to where it is seen.":null].filter(
Boolean).join(" ")}function showMoreAreas(n){byId("area-table").classList.toggle("few",!state.allAreas),byId("more-areas").
hidden=n<=FEW_AREAS,byId("more-areas").textContent=state.allAreas?"Show fewer":`Show all ${n} areas`}function toggleMoreAreas(){
state.allAreas=!state.allAreas,showMoreAreas(openMedium().areas.length)}function showAreaTable(medium){let some=medium.areas.
length>0;for(let id of["area-scroll","area-times","area-types","areas-fine"])byId(id).hidden=!some;byId("brand-missing").
hidden=medium.brand_missing===null,byId("brand-missing").textContent=medium.brand_missing===null?"":withFullStop(medium.
brand_missing),byId("areas-note").textContent=areasNote(medium),byId("edit-areas").hidden=!canDraw(medium),byId("edit-ar\
eas").textContent=changedDraft(medium)?"Continue editing":some?"Edit areas":"Draw areas";let heads=[areaHead("name","Are\
a"),...areaColumns().map(scoreHead)];byId("area-table").tHead.replaceChildren(element("tr",{role:"row"},...heads));let rows2=areaRows(
medium);byId("area-table").tBodies[0].replaceChildren(...rows2.map(i=>areaRow(medium.areas[i],i))),rows2.slice(FEW_AREAS).
forEach((_,place)=>{byId("area-table").tBodies[0].rows[FEW_AREAS+place].classList.add("beyond")}),showMoreAreas(rows2.length),
byId("area-times").replaceChildren(...report.areas.times.map(timeButton)),byId("areas-key").hidden=!some||!byId("area-ta\
ble").querySelector(".stand"),showHighlight()}function toggleType(type){state.hiddenTypes[state.hiddenTypes.has(type)?"delete":"add"](type),showTypes(report.media[state.
open]),showShapes(report.media[state.open]),showLanes(report.media[state.open])}function typeButton2(type,n){let on=!state.
hiddenTypes.has(type),button=element("button",{type:"button","aria-pressed":`${on}`},swatch(type),areaTitle.get(type),element(
"small",{},`${n}`));return button.dataset.type=type,button.addEventListener("click",()=>{toggleType(type),query(`#area-t\
ypes [data-type="${type}"]`).focus()}),button}function showTypes(medium){let counts=report.areas.types.map(({name})=>({name,
n:medium.areas.filter(area=>area.type===name).length}));byId("area-types").replaceChildren(...counts.filter(({n})=>n).map(
({name,n})=>typeButton2(name,n)))}function showAreas(medium){[state.pointedArea,state.chosenArea]=[null,null],showTypes(
medium),showAreaTable(medium),showLanes(medium),showShapes(medium)}function wireAreas(){for(let id of["areas-on-picture",
"areas-on-video","area-table","lanes"])byId(id).addEventListener("pointerover",event=>pointToArea(areaUnder(event.target))),
byId(id).addEventListener("pointerleave",()=>pointToArea(focusedArea()));byId("area-table").addEventListener("focusin",event=>pointToArea(
areaUnder(event.target))),byId("area-table").addEventListener("focusout",()=>pointToArea(null)),listen("window",()=>{showAreaTable(
openMedium()),showShapes(openMedium())}),listen("moment",showAreasOnVideo),byId("more-areas").addEventListener("click",toggleMoreAreas),
byId("all-lanes").addEventListener("click",toggleLanes),byId("areas-on-video").addEventListener("click",event=>{let i=areaUnder(
event.target);i!==null&&chooseShape(i)})}var MOST_CHOSEN=4,SIDES="compare=",sidesAddress=indices=>`#${SIDES}${indices.map(index=>report.media[index].id).join(",")}`;
function showPickBox(frame,index){let box=frame.querySelector(".pick input");box||(box=element("input",{type:"checkbox",
"aria-label":`Compare ${report.media[index].name}`}),box.addEventListener("change",()=>togglePick(index,box)),frame.append(
element("label",{className:"pick",title:"Compare"},box))),box.checked=state.picks.includes(index)}function togglePick(index,box){
let full=box.checked&&state.picks.length===MOST_CHOSEN;full?box.checked=!1:box.checked?state.picks.push(index):state.picks.
splice(state.picks.indexOf(index),1),showPicks(full?" Four at most: remove one first.":"")}function showPicks(remark=""){
byId("chosen").hidden=state.picks.length===0,byId("chosen-count").textContent=`${state.picks.length} selected.${remark||
(state.picks.length===1?" Select another to compare.":"")}`,byId("chosen-go").hidden=state.picks.length<2,state.picks.length>=
2&&(byId("chosen-go").href=sidesAddress(state.picks))}function markPicks(){for(let box of queryAll("#all-media .pick inp\
ut"))box.checked=state.picks.includes(Number(box.closest("[data-i]").dataset.i));showPicks()}function clearPicks(){state.
picks.length=0,markPicks(),byId("table-title").focus({preventScroll:!0})}function wirePicks(){byId("chosen-clear").addEventListener(
"click",clearPicks)}function checksBySide(medium){let{good=[],bad=[],open=[]}=medium.summary??{};return{good,bad,open}}var reasonItem=({text})=>element(
"li",{},unbroken(withFullStop(text)));function failedItem({text,required}){return element("li",{},unbroken(withFullStop(
text)),required?null:element("span",{className:"sub"},"Not required."))}function openItem({text,todo}){return element("l\
i",{},unbroken(withFullStop(text)),todo?element("span",{className:"sub"},withFullStop(todo)):null)}function todoItems(medium){
return(medium.summary?.to_try??[]).map(todo=>element("li",{},unbroken(withFullStop(todo))))}function openTitle(reasons){
let unknown=reasons.filter(reason=>reason.unknown).length;return unknown===reasons.length?"Unknown":unknown?"Too close t\
o call, or unknown":"Too close to call"}function showGroup(id,items){byId(`medium-summary-${id}`).querySelector("ul").replaceChildren(
...items),byId(`medium-summary-${id}`).hidden=!items.length}function showVerdictSentence(medium){let place=byId("verdict\
-sentence"),[lead,...rest]=(medium.summary?.sentence??"").split(":");place.hidden=!medium.summary,place.className=`verdi\
ct-sentence ${medium.summary?.verdict??""}`,place.replaceChildren(element("strong",{},`${lead}:`),rest.join(":"))}function showMediumSummary(medium){
let{good,bad,open}=checksBySide(medium);byId("medium-summary").hidden=!medium.summary,showVerdictSentence(medium),showGroup(
"try",todoItems(medium)),showGroup("bad",bad.map(bad.some(reason=>reason.required)?failedItem:reasonItem)),byId("medium-\
summary-bad").querySelector("h4").textContent=medium.summary?.verdict==="works"?"Failed, but not required":"Failed",showGroup(
"open",open.map(openItem)),byId("medium-summary-open").querySelector("h4").textContent=openTitle(open),showQuestionsButton(
medium),showGroup("good",good.map(reasonItem)),byId("medium-summary-good").querySelector("summary").textContent=`${good.
length} passed`;let isWide=matchMedia("(min-width: 981px)").matches;byId("medium-summary-good").open=isWide&&bad.length+
open.length<=6}function ruleResult([place,status,message,sure]){let rule=report.rules[place],named=report.rule_statuses[status];return{
rule,place,status:named,message,sure,look:named==="failed"&&rule.severity==="warning"?"warned":named}}var ruleResults=index=>report.
media[index].rules.map(ruleResult);function ruleItem({rule,look,message,sure}){let badge=element("span",{className:`badg\
e rule-${look}`},`${report.words.rule_signs[look]} ${look==="warned"?"warning":look}`),open=sure===!1&&look!=="skipped"?
element("span",{className:"badge"},"not sure"):null,why=rule.why&&look!=="passed"?element("span",{className:"sub"},rule.
why):null,name=rule.name===rule.rule?element("code",{},rule.rule):element("strong",{},rule.name);return element("li",{className:look},
element("div",{},badge," ",open),element("div",{},name,element("p",{},message),why))}function showRules(index){let results=ruleResults(index);byId("medium-rules").hidden=results.length===0;let failed=results.
filter(({look})=>look==="failed").length,open=results.filter(({look})=>look!=="passed"),passed=results.filter(({look})=>look===
"passed");byId("medium-rules-title").textContent=failed?`${failed} of ${results.length} rules failed`:open.length?`Rules\
: none failed of ${results.length}`:`All ${results.length} rules passed`,byId("medium-rules-list").replaceChildren(...open.
map(ruleItem)),byId("medium-rules-passed").hidden=passed.length===0,byId("medium-rules-passed").open=open.length===0,byId(
"medium-rules-passed").querySelector("summary").textContent=`${passed.length} passed`,byId("medium-rules-passed").querySelector(
"ul").replaceChildren(...passed.map(ruleItem))}var SMALLEST_SCALE=10;function driverScale(medium){let points=Object.values(medium.scores).flatMap(score=>score.drivers.
map(([size])=>Math.abs(size)));return Math.max(SMALLEST_SCALE,...points)}function driverItem([points,text],scale){let fill=element(
"i"),bar=element("span",{className:"driver-bar","aria-hidden":"true"},fill),wide=Math.min(50,50*Math.abs(points)/scale);
fill.style.setProperty("--from",`${points<0?50-wide:50}%`),fill.style.setProperty("--wide",`${wide}%`);let number=element(
"span",{className:"driver-points"},signed(points),element("span",{className:"hidden"}," points:"));return element("li",{
className:points<0?"down":"up"},number,bar,element("span",{},unbroken(text)))}function driverList(metric,score,scale){return score.
drivers.length?element("ul",{className:"drivers","aria-label":`What moved ${metric.title}`},...score.drivers.map(driver=>driverItem(
driver,scale))):null}function aimFor(metric,medium){return metric.aims[medium.purpose]??metric.aims.any}function aimWords(metric,medium){
let aim=aimFor(metric,medium),words=report.words.directions[aim.direction];if(!medium.purpose)return words;let reason=aim.
direction==="higher"?"":`: ${aim.reason[0].toLowerCase()}${aim.reason.slice(1,-1)}`;return`for ${report.purposes[medium.
purpose]}, ${words}${reason}`}var CLOSE_LABELS=9,LABEL_HALF=14;function stripEnds(metric,highest,range){let[low,edges]=[metric.low??0,range.edges];return metric.
high!==null&&Number.isFinite(metric.high)?[low,metric.high]:[low,Math.max(edges[3]+(edges[3]-edges[0])/2,highest,range.upper??
0)]}function stretch(className,from,to,properties={}){let part=element("i",{className,...properties});return part.style.
left=`${from}%`,part.style.width=`${Math.max(0,to-from)}%`,part}function bandParts(range,at){let bounds2=[0,...range.edges.
map(at),100];return benchmarks.categories.map((title,i)=>{let aimed=range.target.includes(title.toLowerCase().replace(" ",
"_"));return stretch(`band band-${i}${aimed?" target":""}`,bounds2[i],bounds2[i+1],{title})})}function stripScale(range,at,show){
let scale=element("span",{className:"strip-scale"}),last=-1/0;for(let edge of range.edges){if(at(edge)-last<CLOSE_LABELS)
continue;last=at(edge);let label=element("span",{},show(edge));label.style.left=`${last}%`,scale.append(label)}return scale}
function recommendedBracket(range,at){if(range.lower===null||range.upper===null)return null;let bracket=stretch("bracket",
at(range.lower),at(range.upper)),middle=(at(range.lower)+at(range.upper))/2;return bracket.append(element("span",{className:middle>
100-LABEL_HALF?"to-left":middle<LABEL_HALF?"to-right":""},"target")),bracket}function normStrip(metric,score,range,medium,words,show){
let moves=repeatability(metric.name,score.value,medium),[low,high]=stripEnds(metric,score.value+(moves??0),range),at=value=>100*
Math.min(Math.max((value-low)/(high-low),0),1),bands=element("span",{className:"bands"},...bandParts(range,at)),needle=element(
"i",{className:"needle"});needle.style.left=`${at(score.value)}%`;let whisker=moves===null?"":stretch("whisker",at(score.
value-moves),at(score.value+moves)),body=element("span",{className:"strip-body"},recommendedBracket(range,at)??"",bands,
whisker,needle);return element("div",{className:"norm-strip",role:"img","aria-label":words},body,stripScale(range,at,show))}
function standingBlock(metric,score,range,medium){if(range.reason&&range.category===void 0)return element("p",{className:"\
fine not-compared"},`Not compared: ${withFullStop(range.reason)}`);let show=value=>formatValue(value,metric),sentence2=range.
sentence??`${metric.title} is ${show(score.value)}${report.words.units[metric.unit]??""}, ${rankWords(range)}. There is \
no target.`,head=element("p",{className:"stand-line"},categoryChip(range)),sentences=element("p",{className:"stand-words"},
sentence2);return element("div",{className:"standing-block"},normStrip(metric,score,range,medium,sentence2,show),head,sentences,
range.why?element("p",{className:"fine"},range.why):null)}var opened=new Set;function comparedGroups(medium){let groups=new Map;for(let metric of report.metrics){let range=scoreRange(
medium,metric.name);if(range===null)continue;let key=range.category===void 0?range.reason:[range.norm_set,range.segment,
range.fallback].join(`
`);groups.has(key)||groups.set(key,{range,titles:[],counts:[]}),groups.get(key).titles.push(metric.title),range.category!==
void 0&&groups.get(key).counts.push(range.n)}return[...groups.values()]}function comparedLine({range,titles,counts},alone){
if(range.category===void 0)return element("p",{},`${alone?"Not":`${titles.join(", ")}: not`} compared: ${withFullStop(range.
reason)}`);let[few,many]=[Math.min(...counts),Math.max(...counts)],n=few===many?`${few}`:`${few} to ${many}`,whose=alone||
titles.length>report.metrics.length/2?"":`${titles.join(", ")}: `;return element("p",{},`${whose}Benchmark: `,element("s\
trong",{},populationWords(range)),` (${n} files). ${fallbackWords(range)}`)}function standingWords(standing2,metric,medium){
let aim=aimWords(metric,medium);if(standing2.of===1)return`${aim.charAt(0).toUpperCase()}${aim.slice(1)}.`;let range=standing2.
first<standing2.last?` (${standing2.first}–${standing2.last})`:"",from=metric.direction!=="middle"&&metric.direction===
aimFor(metric,medium).direction?"":`, counted from the ${metric.direction==="lower"?"lowest":"highest"}`;return`Rank ${standing2.
rank}${range} of ${standing2.of} in this run${from}; ${aim}.`}function scoreSummary(metric,score,range,medium){let name=element(
"span",{className:"score-title"},metric.title," ",proxyBadge(metric.name));if(score.value===null)return element("summary",
{},name,element("span",{className:"no-value"},`No value: ${score.reason??"not computed"}.`));let unit=["score","count"].
includes(metric.unit)?"":` ${metric.unit}`,value=element("span",{className:"value"},element("b",{},formatValue(score.value,
metric))," ",scorePlusMinus(score.value,metric,medium),unit),compared=range!==null&&range.category!==void 0,[points,text]=score.
drivers[0]??[],driver=element("span",{className:"score-driver",title:text??""},...text?[element("b",{},signed(points)),`\
 ${unbroken(text.split(":")[0])}`]:[]);return element("summary",{},name,value,element("span",{className:"score-place"},compared?
categoryChip(range):null,compared?element("span",{className:"percentile"},rankWords(range,aimFor(metric,medium).direction===
"higher")):null),driver)}function scoreRow(metric,score,medium,reasonStated){let range=scoreRange(medium,metric.name),row=element(
"details",{className:"score-row",open:opened.has(metric.name)},scoreSummary(metric,score,range,medium));row.dataset.metric=
metric.name,row.addEventListener("toggle",()=>opened[row.open?"add":"delete"](metric.name));let body=element("div",{className:"\
score-body"},element("p",{className:"fine"},aboutLink(metric),`: ${metric.caption} ${agreementWords(metric,medium)}`));if(score.
value!==null){range&&!reasonStated&&body.append(standingBlock(metric,score,range,medium));let rank=score.standing?element(
"p",{className:"standing"},standingWords(score.standing,metric,medium)):null;body.append(...[driverList(metric,score,driverScale(
medium)),distribution(metric,score,medium),rank].filter(Boolean))}return row.append(body),row}function distribution(metric,score,medium){
let figure=query(`#cards [data-metric="${CSS.escape(metric.name)}"] .histogram`).cloneNode(!0),marker=scoreBar(score.value,
metric,medium);marker.classList.replace("bar","marker");let label=`${metric.title} of the ${metric.n} files of this run;\
 this one is marked`,ends=element("span",{className:"ends"},element("span",{},`${metric.low}`),element("span",{},`${metric.
high}`));return element("div",{className:"distribution",role:"img","aria-label":label},element("div",{className:"plot"},
figure,marker),ends)}function showRemarks(medium){byId("remarks").hidden=medium.remarks.length===0;let items=medium.remarks.
map(remark=>element("li",{className:remark.kind},remark.sentence));byId("remarks").querySelector("ul").replaceChildren(...items)}
function showScores(medium){let groups=benchmarks===null?[]:comparedGroups(medium),reasonStated=groups.length===1&&groups[0].
range.category===void 0,metrics=report.metrics.filter(metric=>medium.scores[metric.name]);byId("scores-and-why").hidden=
metrics.length===0,byId("scores-line").textContent=metrics.filter(({name})=>!/_two$/.test(name)&&medium.scores[name].value!==
null).map(metric=>`${metric.title} ${formatValue(medium.scores[metric.name].value,metric)}`).join(" · "),byId("detail-s\
cores").replaceChildren(...metrics.map(metric=>scoreRow(metric,medium.scores[metric.name],medium,reasonStated))),byId("c\
ompared").hidden=groups.length===0,byId("compared").replaceChildren(...groups.map(group=>comparedLine(group,groups.length===
1))),showRemarks(medium)}var pressed=null;function describeDivider(){let divider=byId("divider"),[left,right]=[byId("side-left").textContent,byId(
"side-right").textContent];byId("compare").classList.toggle("alike",left===right),divider.setAttribute("aria-label",`Div\
ider between ${left} and ${right}`),divider.setAttribute("aria-valuetext",`${divider.value} % ${left}, ${100-divider.value}\
 % ${right}`)}function setDivider(percent2){byId("divider").value=percent2,byId("compare").style.setProperty("--at",`${byId(
"divider").value}%`),describeDivider()}function divideAt(clientX){let box=byId("compare").getBoundingClientRect();setDivider(
100*(clientX-box.left)/box.width)}function pressDivider(event){if(event.button!==0)return;let[area,touch]=[areaUnder(event.
target),event.pointerType==="touch"];if(!state.divided)return area===null?void 0:chooseShape(area);pressed={area,x:event.
clientX,waits:area!==null||touch},byId("divider").focus({preventScroll:!0}),touch||(event.currentTarget.setPointerCapture(
event.pointerId),event.preventDefault()),pressed.waits||divideAt(event.clientX)}function dragDivider(event){pressed===null||
pressed.waits&&Math.abs(event.clientX-pressed.x)<4||(pressed.waits=!1,divideAt(event.clientX))}function releaseDivider(event){
pressed?.waits&&pressed.area!==null?chooseShape(pressed.area):pressed?.waits&&divideAt(event.clientX),pressed=null}function wireDivider(){
byId("divider").addEventListener("input",event=>setDivider(event.target.value));let acts={pointerdown:pressDivider,pointermove:dragDivider,
pointerup:releaseDivider,pointercancel:()=>{pressed=null}};for(let[kind,act]of Object.entries(acts))byId("compare").addEventListener(
kind,act)}var SHARES=[["viewers","Viewers","Estimated share of viewers who scroll to its middle, %"],["attention","Attention","Sha\
re of the page's attention, %"]],columns=()=>[...SHARES,...report.screens.map(({name,title})=>[name,title,"Score of the \
fold alone, 0 to 100"])],percent=value=>value<1?"< 1 %":`${Math.round(value)} %`;function showFolds(medium){let folds=medium.
folds,isPage=folds.length>0,stage=byId("stage");stage.classList.toggle("page",isPage);for(let[name,value]of Object.entries(
{tabindex:"0",role:"region","aria-label":"The page: scroll to see lower folds"}))isPage?stage.setAttribute(name,value):stage.
removeAttribute(name);stage.scrollTop=0,byId("page-folds").hidden=!isPage,byId("fold-lines").replaceChildren(...folds.map(
foldLine)),byId("fold-table").tHead.replaceChildren(element("tr",{},element("th",{scope:"col"},"Fold"),...columns().map(
([,title,caption])=>element("th",{scope:"col",title:caption},title)))),byId("fold-table").tBodies[0].replaceChildren(...folds.
map(fold=>foldRow(fold)))}function foldLine(fold){let words=element("span",{},`Fold ${fold.fold}: ${percent(fold.viewers)}\
 get here, ${percent(fold.attention)} of attention`),line=element("i",{},words);return line.style.top=`${100*fold.y0}%`,
line}function foldRow(fold){let button=element("button",{type:"button",className:"quiet",title:"Scroll to this fold"},`${fold.
fold}`);button.addEventListener("click",()=>byId("stage").scrollTo({top:fold.y0*byId("compare").clientHeight}));let cells=columns().
map(([key])=>element("td",{},fold[key]===null?"–":key==="viewers"||key==="attention"?percent(fold[key]):`${Math.round(
fold[key])}`));return element("tr",{},element("th",{scope:"row"},button),...cells)}var UPRIGHT=1.1,sideMap=side=>byId(`picture-${side}`).dataset.map;function sideTitle(name){return state.window!=="total"&&
!["original",SHEET].includes(name)&&layerOf(name)===name?`${mapTitle(name)}, whole`:mapTitle(name)}function announceSides(){
if(!state.divided)return announce(sideTitle(sideMap("right")));let[left,right]=["left","right"].map(side=>byId(`side-${side}`).
textContent);return announce(left===right?`${left} alone`:`${left} on the left of the divider, ${right} on the right`)}function setPicture(side,name,medium){
let image=byId(`picture-${side}`);image.src=imageOf(medium,name),image.alt=`${mapTitle(name)} of ${medium.name}`,image.dataset.
map=name,byId(`side-${side}`).textContent=sideTitle(name)}function setRight(name,medium){setPicture("right",name,medium),
name!==SHEET&&(state.layers.right=layerOf(name)),byId("compare").classList.toggle("single",name===SHEET),byId("divider").
disabled=!state.divided||name===SHEET,byId("areas-on-picture").hidden=name===SHEET,showCaption(name);for(let button of byId(
"strip").children)button.setAttribute("aria-pressed",String(button.dataset.map===name));for(let button of byId("layers").
children)button.setAttribute("aria-pressed",String(button.dataset.layer===layerOf(name)));showOpacity(),describeDivider()}
function showCaption(name){let spec=mapOf.get(name),words=element("p",{},element("strong",{},sideTitle(name)),` ${spec?.
caption??""} `,element("small",{},spec?.scale??""));byId("map-caption").replaceChildren(words,...spec?.bar?[legend(spec.
bar)]:[])}function setLeft(name,medium){setPicture("left",name,medium),state.divided&&(state.layers.left=layerOf(name)),
byId("left-map").value=layerOf(name),describeDivider()}function setDivided(on){state.divided=on,byId("compare").classList.
toggle("divided",on),byId("divide").setAttribute("aria-pressed",String(on)),byId("divider-tools").hidden=!on,byId("opaci\
ty-tool").hidden=on,byId("divider").disabled=!on||sideMap("right")===SHEET,showOpacity()}function toggleDivider(){setDivided(
!state.divided),showLayers(openMedium()),announceSides()}function showOpacity(){byId("opacity").value=state.opacity,byId(
"opacity").disabled=layerOf(sideMap("right")??"original")==="original",byId("opacity").setAttribute("aria-valuetext",`${state.
opacity} % ${byId("side-right").textContent}`),byId("compare").style.setProperty("--mix",state.opacity/100)}function swapSides(){
if(!state.divided||byId("swap").disabled||sideMap("right")===SHEET)return;let[left,right]=[sideMap("left"),sideMap("righ\
t")];setLeft(right,openMedium()),setRight(left,openMedium()),announceSides()}function leftLayer(medium){let layers=layersOf(
medium),layer=state.divided?state.layers.left:"original";return mapAt(layers.includes(layer)?layer:layers[0]??Object.keys(
medium.maps)[0],medium)}function showLayers(medium){Object.keys(medium.maps).length&&(setLeft(leftLayer(medium),medium),
sideMap("right")!==SHEET&&setRight(mapAt(state.layers.right,medium),medium))}function onPictureError(event){let text=`Th\
is image is not where the run left it (${event.target.getAttribute("src")}). Keep the folders report and maps together.`;
byId("map-caption").textContent=text}function stripButton(name,medium){let image=element("img",{src:imageOf(medium,name),
alt:"",decoding:"async"}),className={original:"print-only",[SHEET]:"screen-only"}[name]??"",button=element("button",{type:"\
button",className},image,element("span",{},mapTitle(name)));return button.dataset.map=name,button.addEventListener("clic\
k",()=>{setRight(name,medium),announceSides()}),button}function layerButton(layer){let button=element("button",{type:"bu\
tton"},mapTitle(layer));return button.dataset.layer=layer,button.addEventListener("click",()=>chooseLayer(layer)),button}
function chooseLayer(layer){setRight(mapAt(layer,openMedium()),openMedium()),announceSides()}function showWindowButtons(medium){
byId("times-shown").replaceChildren(...windowsOf(medium).map(time=>{let button=element("button",{type:"button","aria-pre\
ssed":`${state.window===time}`},WINDOW_TITLES[time]);return button.dataset.time=time,button.addEventListener("click",()=>{
setWindow(time),byId("times-shown").querySelector(`[data-time="${time}"]`).focus()}),button}));for(let cell of queryAll(
"#windows-table [data-time]"))cell.classList.toggle("of-time",cell.dataset.time===state.window)}function toggleAreas(){state.
areasShown=!state.areasShown,showAreasSwitch(),announce(state.areasShown?"Areas are shown":"Areas are hidden")}function showAreasSwitch(){
byId("detail").classList.toggle("areas-off",!state.areasShown),byId("show-areas").setAttribute("aria-pressed",String(state.
areasShown)),byId("show-areas").hidden=openMedium().areas.length===0}function toggleZoom(on=!byId("stage").classList.contains(
"zoomed")){let[image,shown]=[byId("picture-left"),byId("compare").clientWidth];if(on){let sharp=image.naturalWidth<openMedium().
width?image.naturalWidth/shown:2;byId("stage").style.setProperty("--wide",`${shown*Math.min(2,Math.max(1.25,sharp))}px`)}
byId("stage").classList.toggle("zoomed",on),byId("zoom").setAttribute("aria-pressed",String(on)),on&&byId("stage").scrollTo(
{left:byId("stage").clientWidth/2,behavior:"instant"})}function leaveZoom(){let zoomed=byId("stage").classList.contains(
"zoomed");return zoomed&&toggleZoom(!1),zoomed}function placeViewer(medium){medium.moves?byId("strip").before(byId("view\
er")):byId("detail-view").append(byId("viewer")),byId("maps-note").hidden=!medium.moves,byId(medium.moves?"transport-mor\
e":"viewer-more").prepend(byId("show-areas"))}function showPictures(medium){let names=Object.keys(medium.maps).sort((a,b)=>mapOrder(
a)-mapOrder(b)),some=names.length>0;placeViewer(medium),byId("figure").hidden=byId("maps").hidden=byId("viewer-tools").hidden=
!some,byId("maps-count").textContent=`${names.length}`,byId("no-maps").hidden=some,byId("strip").replaceChildren(),showWindowButtons(
medium),showAreasSwitch(),toggleZoom(!1),showFolds(medium);let ratio=medium.width&&medium.height?medium.width/medium.height:
4/3,scrolls=medium.folds.length>0;if(byId("detail-columns").classList.toggle("upright",some&&!medium.moves&&!scrolls&&ratio<=
UPRIGHT),!!some){for(let id of["compare","strip","detail-columns"])byId(id).style.setProperty("--ratio",ratio);showChoices(
names,medium),setDivider(50)}}function showChoices(names,medium){let layers=layersOf(medium);byId("strip").replaceChildren(
...names.map(name=>stripButton(name,medium))),byId("layers").replaceChildren(...layers.map(layerButton)),byId("left-map").
replaceChildren(...layers.map(name=>element("option",{value:name},mapTitle(name)))),byId("swap").disabled=layers.length<
2;let second=layers[1]??layers[0]??names[0];setLeft(leftLayer(medium),medium),setRight(mapAt(layers.includes(state.layers.
right)?state.layers.right:second,medium),medium)}function wireViewer(){wireDivider(),byId("left-map").addEventListener("\
change",event=>{setLeft(mapAt(event.target.value,openMedium()),openMedium()),announceSides()}),byId("opacity").addEventListener(
"input",event=>{state.opacity=Number(event.target.value),showOpacity()});for(let[id,act]of Object.entries({divide:toggleDivider,
swap:swapSides,"show-areas":toggleAreas,zoom:()=>toggleZoom()}))byId(id).addEventListener("click",act);for(let side of["\
left","right"])byId(`picture-${side}`).addEventListener("error",onPictureError);listen("window",()=>{showLayers(openMedium()),
showWindowButtons(openMedium())})}var WINDOW_MAPS=["first_two_heat","last_two_heat"],TABLE_WINDOWS=["start","end","total"];function showWindows(medium){let pair=[
"focus_first_two","focus_last_two"].filter(name=>metricOf.has(name)&&medium.scores[name]?.value!=null),maps=WINDOW_MAPS.
every(name=>medium.maps[name]);byId("windows").hidden=!medium.windows&&!maps&&!medium.window_scores,byId("windows-text").
textContent=[medium.windows,medium.window_note].filter(Boolean).join(" "),byId("compare-windows").hidden=!maps,byId("win\
dows-bars").hidden=medium.moves,showWindowTable(medium.window_scores??{}),byId("windows-bars").replaceChildren(...pair.flatMap(
name=>windowBar(metricOf.get(name),medium.scores[name],medium)))}function showOverTime(medium){showWindows(medium),byId(
"over-time").hidden=byId("windows").hidden&&state.timeline===null}function windowBar(metric,score,medium){return[element(
"span",{},metric.title),scoreBar(score.value,metric,medium),element("b",{},formatValue(score.value,metric))]}function showWindowTable(found){
let table=byId("windows-table"),names=report.metrics.map(metric=>metric.name).filter(name=>found[name]);table.hidden=names.
length===0;let heads=TABLE_WINDOWS.map(time=>markWindow(element("th",{scope:"col"},WINDOW_TITLES[time]),time));table.querySelector(
"thead").replaceChildren(element("tr",{},element("th",{scope:"col"},"Score"),...heads)),table.querySelector("tbody").replaceChildren(
...names.map(name=>windowRow(metricOf.get(name),found[name])))}function windowRow(metric,scores){let cells=TABLE_WINDOWS.
map(time=>markWindow(windowCell(scores[time],metric,windowRange(metric.name,time)),time));return element("tr",{},element(
"th",{scope:"row"},metric.title," ",proxyBadge(metric.name)),...cells)}function markWindow(cell,time){return cell.dataset.
time=time,cell.classList.toggle("of-time",state.window===time),cell}function windowRange(name,time){let{ranges}=report.media[state.
open],metricOfWindow={start:`${name}_first_two`,end:`${name}_last_two`}[time];return rangeOf(ranges?.[name]?.[time]??ranges?.[metricOfWindow]?.[time])}
function windowCell(score,metric,range){if(score?.value==null)return element("td",{},element("span",{className:"none",title:score?.
reason??"not computed"},"n/a"));let chip=range===null||range.category===void 0?null:categoryChip(range,!1);return chip&&
(chip.title=range.sentence??""),element("td",{},element("b",{},formatValue(score.value,metric)),chip)}function compareWindows(){
let medium=report.media[state.open];setDivided(!0),setLeft(WINDOW_MAPS[0],medium),setRight(WINDOW_MAPS[1],medium),medium.
moves&&(byId("maps").open=!0),byId("compare").scrollIntoView({block:"center"}),byId("divider").focus({preventScroll:!0}),
announceSides()}var WIDTH=1e3,MOST_LINES=5;function rectangle([x0,y0,x1,y1],height,kind){return svgElement("rect",{x:x0*WIDTH,y:y0*height,
width:(x1-x0)*WIDTH,height:(y1-y0)*height,class:kind})}function picture(medium,placement,height){let[x0,y0,x1,y1]=placement.
place,[left,top,right,bottom]=placement.crop,box={x:x0*WIDTH,y:y0*height,width:(x1-x0)*WIDTH,height:(y1-y0)*height},part=svgElement(
"svg",{...box,viewBox:`${left} ${top} ${right-left} ${bottom-top}`,preserveAspectRatio:"none"}),href=imageOf(medium,"ori\
ginal");return href?part.append(svgElement("image",{href,x:0,y:0,width:1,height:1,preserveAspectRatio:"none"})):part.append(
svgElement("rect",{x:0,y:0,width:1,height:1,class:"no-picture"})),part}function drawing(medium,placement){let height=WIDTH*
placement.slot[1],hidden=placement.lines.length?placement.lines.map(line=>`${line.name}: ${line.text}`).join(". "):"noth\
ing hidden",drawn=svgElement("svg",{viewBox:`0 0 ${WIDTH} ${height}`,role:"img","aria-label":`${placement.title}: ${hidden}`});
drawn.append(rectangle([0,0,1,1],height,"slot"),picture(medium,placement,height));for(let zone of placement.zones){let veil=rectangle(
zone.box,height,"zone");veil.append(svgElement("title",{})),veil.firstChild.textContent=zone.title,drawn.append(veil)}for(let mark of placement.
marks)drawn.append(rectangle(mark.box,height,"mark-under"),rectangle(mark.box,height,`mark is-${mark.kind}`));return drawn}
function wrong(placement){if(placement.lines.length){let items=placement.lines.map(line=>element("li",{},element("strong",
{},line.name[0].toUpperCase()+line.name.slice(1)),` ${line.text.replaceAll(" %"," %")}`)),more=items.splice(MOST_LINES),
list=element("div",{},element("ul",{},...items));return more.length&&list.append(element("details",{class:"fine"},element(
"summary",{},`${more.length} more`),element("ul",{},...more))),list}return element("p",{class:"sub"},placement.areas?"No\
 area is covered, cropped or too small.":"No areas were found.")}function card(medium,placement){let shape2=placement.slot[1]>
1.3?"tall":placement.slot[1]<.5?"wide":"even",caption=element("figcaption",{},element("h4",{},placement.title),element("\
p",{class:"sub"},placement.facts.replaceAll(" %"," %")),wrong(placement));return caption.append(element("details",{class:"\
fine"},element("summary",{},"Source"),element("p",{},`${placement.source} (${placement.date||"no date"})`))),element("fi\
gure",{class:`placement ${shape2} frame-${placement.frame}`},drawing(medium,placement),caption)}function showPlacements(medium){
let placements=medium.placements.map(placement=>({...report.placements[placement.name],...placement}));byId("placements").
hidden=placements.length===0;let bad=placements.filter(placement=>placement.lines.length).length,one=placements.length===
1,count=one?placements[0].title:`${placements.length} placements`;byId("placements-moving").hidden=!medium.moves,byId("p\
lacements-line").textContent=bad?`${count}${one?": has":`, ${bad} with`} covered, cropped or small areas`:count,byId("pl\
acement-list").replaceChildren(...placements.map(placement=>card(medium,placement)))}function placed(item,box,polygon){return{...item,box:box.map(shortNumber),polygon:polygon?.map(point=>point.map(shortNumber))??
null,moved:!0}}var followed=item=>item.found!==null&&!item.moved&&!!runAreas(state.editor.draft.medium)[item.found].track;
function itemBoxNow(item){return followed(item)?trackBox(runAreas(state.editor.draft.medium)[item.found],state.now):!state.
editor.draft.medium.moves||state.timeline===null||state.now>=(item.t0??0)-.001&&state.now<(item.t1??1/0)?item.box:null}var itemBox=item=>itemBoxNow(
item)??item.box;function movedBy(item,dx,dy){let[x0,y0,x1,y1]=itemBox(item),x=limited(dx,Math.min(0,-x0),Math.max(0,1-x1)),
y=limited(dy,Math.min(0,-y0),Math.max(0,1-y1));return placed(item,[x0+x,y0+y,x1+x,y1+y],item.polygon?.map(([px,py])=>[px+
x,py+y]))}function resizedBy(item,sides,dx,dy){let old=itemBox(item),[x0,y0,x1,y1]=old,box=[sides.includes("w")?limited(
x0+dx,0,x1-.005):x0,sides.includes("n")?limited(y0+dy,0,y1-.005):y0,sides.includes("e")?limited(x1+dx,x0+.005,1):x1,sides.
includes("s")?limited(y1+dy,y0+.005,1):y1];return placed(item,box,item.polygon?.map(point=>stretched(point,old,box)))}function stretched([
x,y],old,box){let along=(value,axis)=>box[axis]+(value-old[axis])/(old[axis+2]-old[axis])*(box[axis+2]-box[axis]);return[
along(x,0),along(y,1)]}function withCorner(item,i,[x,y]){let polygon=item.polygon.map((point,k)=>k===i?[limited(x,0,1),limited(
y,0,1)]:point),box=bounds(polygon);return box[2]-box[0]<.005||box[3]-box[1]<.005?item:placed(item,box,polygon)}function cornersOf(item){
let[x0,y0,x1,y1]=itemBox(item);return item.polygon??[[x0,y0],[x1,y0],[x1,y1],[x0,y1]]}function outlineDistance(item,at,size){
let px=([x,y])=>[x*size.width,y*size.height],corners2=cornersOf(item).map(px);return Math.min(...corners2.map((corner,i)=>distanceFrom(
px(at),corner,corners2[(i+1)%corners2.length])))}function isInside(item,[x,y]){let corners2=cornersOf(item),inside=!1;return corners2.
forEach(([ax,ay],i)=>{let[bx,by]=corners2[(i+1)%corners2.length];ay>y!=by>y&&x<ax+(y-ay)/(by-ay)*(bx-ax)&&(inside=!inside)}),
inside}function bySize(list,test){return list.filter(test).sort((a,b)=>areaSize(itemBox(a))-areaSize(itemBox(b)))}var limited2=(value,low,high)=>Math.min(Math.max(value,low),high);async function inflated(text){let bytes=Uint8Array.from(
atob(text),letter=>letter.charCodeAt(0)),stream=new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
return new Uint8Array(await new Response(stream).arrayBuffer())}async function unpackedMaps({shape:[n,rows2,columns2],step:step2,
data}){let bytes=await inflated(data),cells=rows2*columns2,codes=new Int32Array(n*cells);for(let i=0;i<codes.length;i+=1){
let unsigned=bytes[i]|bytes[codes.length+i]<<8|bytes[2*codes.length+i]<<16|bytes[3*codes.length+i]<<24;codes[i]=unsigned>>>
1^-(unsigned&1),i%cells>=columns2&&(codes[i]+=codes[i-columns2])}for(let i=0;i<codes.length;i+=1)i%columns2&&(codes[i]+=
codes[i-1]);for(let i=cells;i<codes.length;i+=1)codes[i]+=codes[i%cells];return Array.from({length:n},(_,k)=>({rows:rows2,
columns:columns2,values:Float32Array.from(codes.subarray(k*cells,(k+1)*cells),code=>code*step2)}))}async function unpackDensities(packed){
let maps=await unpackedMaps(packed.maps);return{windows:Object.fromEntries(packed.windows.map((window,i)=>[window,maps[i]])),
exposure:packed.exposure_s}}function sum(values){let total=0;for(let value of values)total+=value;return total}function normalized(density,values){
let total=sum(values);return{...density,values:Float32Array.from(values,value=>value/total)}}var sharpened=(density,model)=>normalized(
density,Float64Array.from(density.values,value=>value**model.sharpness));function centred(density,model){let{rows:rows2,
columns:columns2,values}=density,bell=(i,n,centre)=>Math.exp(-.5*((i+.5)/n-centre)**2/model.centre_sd**2),across=Array.from(
{length:columns2},(_,x)=>bell(x,columns2,model.centre[0])),down=Array.from({length:rows2},(_,y)=>bell(y,rows2,model.centre[1]));
return normalized(density,Float64Array.from(values,(value,i)=>value*(down[Math.floor(i/columns2)]*across[i%columns2])))}
function periodDensities(windows,model){let total=sharpened(windows.total,model),start=windows.start?sharpened(windows.start,
model):total;return[centred(start,model),start,total,windows.end?sharpened(windows.end,model):total]}function overlaps(low,high,n){
let[from,to]=[low,high].map(side=>limited2(side,0,1)*n);return Float64Array.from({length:n},(_,i)=>Math.max(0,limited2(to,
i,i+1)-limited2(from,i,i+1)))}function boxCoverage([x0,y0,x1,y1],rows2,columns2){let[down,across]=[overlaps(y0,y1,rows2),
overlaps(x0,x1,columns2)];return Float64Array.from({length:rows2*columns2},(_,i)=>down[Math.floor(i/columns2)]*across[i%
columns2])}function edgeCuts([ax,ay],[bx,by],rows2,columns2){let cuts=new Set([0,1]);for(let[from,to,n]of[[ax,bx,columns2],
[ay,by,rows2]])for(let line=0;from!==to&&line<=n;line+=1){let at=(line-from)/(to-from);at>0&&at<1&&cuts.add(at)}return[...cuts].
sort((a,b)=>a-b)}function polygonCoverage(polygon,rows2,columns2){let corners2=polygon.map(([x,y])=>[limited2(x,-1e3,1e3)*
columns2,limited2(y,-1e3,1e3)*rows2]),wide=columns2+2,covered=new Float64Array(rows2*wide);corners2.forEach((start,i)=>{
let end=corners2[(i+1)%corners2.length],points=edgeCuts(start,end,rows2,columns2).map(at=>[limited2(start[0]+at*(end[0]-
start[0]),0,columns2),start[1]+at*(end[1]-start[1])]);for(let k=1;k<points.length;k+=1){let[[ax,ay],[bx,by]]=[points[k-1],
points[k]],[column,row]=[Math.floor((ax+bx)/2),Math.floor((ay+by)/2)];if(row<0||row>=rows2)continue;let inCell=1-((ax+bx)/
2-column);covered[row*wide+column]+=(by-ay)*inCell,covered[row*wide+column+1]+=(by-ay)*(1-inCell)}});let shares=new Float64Array(
rows2*columns2);for(let row=0;row<rows2;row+=1)for(let column=0,inside=0;column<columns2;column+=1)inside+=covered[row*wide+
column],shares[row*columns2+column]=Math.min(1,Math.abs(inside));return shares}function coverage(box,polygon,rows2,columns2){
return polygon?polygonCoverage(polygon,rows2,columns2):boxCoverage(box,rows2,columns2)}function shareInside(density,covered){
let share=0;for(let i=0;i<covered.length;i+=1)share+=density.values[i]*covered[i];return Math.min(1,share)}var timeForGaze=(t0,t1,model)=>Math.
max(t1,model.latency_s)-Math.max(t0,model.latency_s);function hazardOf(share,t0,t1,model){let inside=limited2(share,0,model.
largest_share),early=timeForGaze(Math.min(t0,model.window_s),Math.min(t1,model.window_s),model),late=timeForGaze(Math.max(
t0,model.window_s),Math.max(t1,model.window_s),model);return model.rate*(early+model.late_pace*late)*inside/(1-inside)}var shareSeen=(hazard,model)=>-Math.
expm1(-Math.log1p(model.frailty*hazard)/model.frailty);function periodSpans(exposure,model){let until=Math.max(exposure,
model.trained_exposure_s),turns=[0,model.center_bias_duration_s,model.window_s,until-model.window_s,until];return turns.
slice(1).map((end,i)=>[turns[i],Math.min(end,exposure)]).filter(([begin])=>begin<exposure)}function windowSpan(window,exposure,model){
return window==="start"?[0,Math.min(model.window_s,exposure)]:window==="end"?[Math.max(0,exposure-model.window_s),exposure]:
[0,exposure]}function firstSeen(times,hazards,model){let seen=hazards.length?shareSeen(hazards.at(-1),model):0;if(seen<model.
min_share_seen)return null;let half=Math.expm1(-model.frailty*Math.log1p(-seen/2))/model.frailty,after=hazards.findIndex(
hazard=>hazard>=half);if(after<=0)return times[0];let[low,high]=[hazards[after-1],hazards[after]];return times[after-1]+
(times[after]-times[after-1])*(half-low)/(high-low)}function areaScorer(densities,{model,reasons},times){let{windows,exposure}=densities,
periods=periodDensities(windows,model),spans=periodSpans(exposure,model);return(box,polygon)=>{let{rows:rows2,columns:columns2}=windows.
total,covered=coverage(box,polygon,rows2,columns2),[area]=coverage(box,polygon,1,1),gaze=spans.map(([t0,t1],i)=>({share:shareInside(
periods[i],covered),t0,t1})),inWindow=window=>{let[begin,end]=windowSpan(window,exposure,model),[hazard,looked]=[0,0];for(let{
share:share2,t0,t1}of gaze){let from=Math.max(t0,begin),to=Math.max(from,Math.min(t1,end));hazard+=hazardOf(share2,from,
to,model),looked+=model.gaze*share2*timeForGaze(from,to,model)}let share=shareInside(windows[window],covered),seen=shareSeen(
hazard,model),spent=Math.min(looked/(end-begin),seen);return{attention:[100*share],percentage_seen:[100*seen],time_spent:[
spent*(end-begin)],availability:[100],relative_attention:[100*share],lift:area>0?[share/area]:reasons.no_area}},whenSeen=()=>{
let[at,hazards]=[[],[]];for(let{share,t0,t1}of gaze){let[from,before]=[Math.max(t0,model.latency_s),hazards.at(-1)??0];t1<=
from||((!at.length||at.at(-1)<from)&&(at.push(from),hazards.push(before)),at.push(t1),hazards.push(before+hazardOf(share,
t0,t1,model)))}let value=firstSeen(at,hazards,model);return value===null?reasons.hardly_anybody:[value]},byTime=Object.fromEntries(
times.filter(time=>windows[time]).map(time=>[time,inWindow(time)])),ofMetric=metric=>Object.fromEntries(times.map(time=>[
time,byTime[time]?byTime[time][metric]:reasons[time]]));return{...Object.fromEntries(Object.keys(byTime.total).map(metric=>[
metric,ofMetric(metric)])),first_seen_s:{total:whenSeen()}}}}var chosenItem=()=>state.editor.draft?.list.find(item=>item.key===state.editor.chosen),visibleItems=()=>state.editor.draft.
list.filter(item=>itemBoxNow(item));function say(text){byId("editor-says").textContent=text}function itemWords(item){let[
x0,y0,x1,y1]=itemBox(item).map(side=>Math.round(100*side)),name=`${areaTitle.get(item.type)}${item.label?` “${item.label}\
”`:""}`;return`Area ${state.editor.draft.list.indexOf(item)+1}, ${name}: ${x0} % from the left, ${y0} % from the top, ${x1-
x0} % wide, ${y1-y0} % high`}function endTyping(){byId("editor").contains(document.activeElement)&&document.activeElement.
blur()}function putDown(){Object.assign(state.editor,{chosen:null,corner:null,path:null,shape:null,gesture:null})}function chooseItem(key){
if(state.editor.chosen===key)return;[state.editor.chosen,state.editor.corner]=[key,null];let item=chosenItem();item&&say(
itemWords(item)),notify("draft")}function focusItem(key){chooseItem(key),(query(`#canvas-items [data-key="${key}"]`)??byId(
"canvas")).focus({preventScroll:!0})}var SAID_AFTER_MS=800,UNITS={ratio:"times the average",s:"s","%":"%"},scorers=new Map,scored=new WeakMap,[saying,said]=[
null,null],canUnpack=()=>typeof DecompressionStream=="function",canScore=medium=>medium.scoring==="here"&&canUnpack();async function loadScorer(medium){
if(!canScore(medium)||scorers.has(medium.id))return;let densities=await unpackDensities(JSON.parse(embeddedText("densiti\
es",medium)));scorers.set(medium.id,areaScorer(densities,report.areas.scoring,report.areas.times)),state.editor.draft?.medium===
medium&&notify("draft")}function scoresAsData(scores){let short=score=>Array.isArray(score)?score.map(value=>Math.round(
1e3*value)/1e3):score??null;return report.areas.metrics.map(({name})=>report.areas.times.map(time=>short(scores[name]?.[time])))}
var asInRun=item=>item.found!==null&&!item.moved;function scoresOf(item,medium){return asInRun(item)?runAreas(medium)[item.
found].scores:(!scored.has(item)&&scorers.has(medium.id)&&scored.set(item,scoresAsData(scorers.get(medium.id)(item.box,item.
polygon))),scored.get(item)??null)}function shownArea(item,medium){let{type,label,box,polygon}=item;if(!asInRun(item))return{
id:null,type,label,box,...polygon?{polygon}:{},method:"drawn by you, scored here",scores:scoresOf(item,medium),here:!0};
let{ranges,...area}=runAreas(medium)[item.found];return{...area,type,label,...area.type===type?{ranges}:{}}}function showDraft(medium){
medium.run_areas??=medium.areas,medium.areas=changedDraft(medium)&&scorers.has(medium.id)?drafts.get(medium.id).list.map(
item=>shownArea(item,medium)):medium.run_areas}async function showDrafts(){for(let{medium}of drafts.values())await loadScorer(
medium),showDraft(medium),state.editor.draft===null&&state.open!==null&&openMedium()===medium&&showAreas(medium)}function seenWords(item){
let i=areaMetric("percentage_seen"),scores=i<0?null:scoresOf(item,state.editor.draft.medium),score=scores&&areaScore({scores},
i,"total");return Array.isArray(score)?`seen by ${areaDigits(score[0],areaMetrics[i])} %`:null}function tagWords2(item){
let seen=seenWords(item),short=item.key===state.editor.chosen?seen:seen?.replace("seen by ",""),here=seen&&!asInRun(item)?
"scored here":null;return[state.editor.draft.list.indexOf(item)+1,short,here].filter(Boolean).join(" · ")}function scoreCell(score,metric){
return score===null?element("td",{},element("span",{className:"none",title:"Not defined for this time"},"–")):Array.isArray(
score)?element("td",{},element("b",{},areaDigits(score[0],metric))," ",element("span",{className:"plus-minus"},areaPlusMinus(
score[0],metric,state.editor.draft.medium))):element("td",{},element("span",{className:"none",title:score},"n/a"))}function scoreRow2(i,scores){
let metric=areaMetrics[i],name=element("th",{scope:"row",title:metric.caption},metric.title," ",element("small",{},UNITS[metric.
unit]??metric.unit));return element("tr",{},name,...report.areas.times.map(time=>scoreCell(areaScore({scores},i,time),metric)))}
function noteWords(medium){let later=served?"Save them: the server then scores them.":"Save them, and apply the file to \
the run: it scores them.";return medium.scoring==="moves"?`Areas of a video or an animation are not scored in this page.\
 ${later}`:medium.scoring==="no_densities"?"This run kept no densities, so areas cannot be scored. Save them, then analy\
ze the files again with --aois areas.json.":medium.scoring==="left_out"?`To keep this report small, areas cannot be scor\
ed in it. ${later}`:canUnpack()?"New and moved areas are scored here, in this page, with the numbers that they have afte\
r saving. Ranks and checks follow after saving.":`This browser is too old to score areas in the page. ${later}`}function showScores2(){
if(clearTimeout(saying),state.editor.draft===null)return;let{medium,list}=state.editor.draft,item=chosenItem(),scores=item?
scoresOf(item,medium):null,columns2=areaColumns();if(byId("area-scores").hidden=scores===null||!columns2.length,byId("ar\
ea-scores-note").textContent=noteWords(medium),scores===null)return;let table=byId("area-scores").querySelector("table");
table.caption.replaceChildren(`Area ${list.indexOf(item)+1}, `,element("em",{},asInRun(item)?"as in the run":"scored her\
e, not saved")),table.tHead.replaceChildren(element("tr",{},element("td"),...report.areas.times.map(time=>element("th",{
scope:"col"},WINDOW_TITLES[time])))),table.tBodies[0].replaceChildren(...columns2.map(i=>scoreRow2(i,scores))),sayScores(
item,scores)}function sayScores(item,scores){let words=asInRun(item)?null:spokenScores(item,scores);words===null||words===
said||(saying=setTimeout(()=>{said=words,byId("area-scores-say").textContent=words},SAID_AFTER_MS))}function spokenScores(item,scores){
let parts=areaColumns().slice(0,2).map(i=>({metric:areaMetrics[i],score:areaScore({scores},i,"total")})).filter(({score})=>Array.
isArray(score)).map(({metric,score})=>{let moves=areaPlusMinus(score[0],metric,state.editor.draft.medium);return`${metric.
title.toLowerCase()} ${areaDigits(score[0],metric)}${moves&&` ${moves}`} %`});return`Area ${state.editor.draft.list.indexOf(
item)+1}, ${areaTitle.get(item.type)}, scored here: ${parts.join(", ")}.`}function wireScores(){listen("draft",showScores2)}var GRIPS={nw:[0,0],n:[.5,0],ne:[1,0],e:[1,.5],se:[1,1],s:[.5,1],sw:[0,1],w:[0,.5]},MIDDLE_PX=44,itemShapes=new Map;function itemShape(item){
if(!itemShapes.has(item.key)){let shape3=svgElement("g",{tabindex:0,role:"button","aria-roledescription":"area"});shape3.
dataset.key=`${item.key}`,shape3.addEventListener("focus",()=>chooseItem(item.key)),itemShapes.set(item.key,shape3)}let shape2=itemShapes.
get(item.key);return shape2.setAttribute("class",`item type-${item.type}${item.key===state.editor.chosen?" chosen":""}`),
shape2.setAttribute("aria-label",itemWords(item)),shape2.replaceChildren(...outline(itemBoxNow(item),item.polygon)),shape2}
function itemTag(item){let box=itemBoxNow(item),label=tag(tagWords2(item),item.type,box,item.polygon);return box[0]>1-box[2]&&
Object.assign(label.style,{left:"auto",right:`${100*Math.max(0,1-box[2])}%`}),label}function grip(name,x,y,active=!1){let handle=element(
"i",{className:`grip ${name}${active?" active":""}`});return handle.dataset.grip=name,Object.assign(handle.style,{left:`${100*
x}%`,top:`${100*y}%`}),handle}function grips(){let item=chosenItem(),box=item&&itemBoxNow(item);if(!box||state.editor.path)
return[];if(item.polygon)return item.polygon.map(([x,y],i)=>grip(`${i}`,x,y,i===state.editor.corner));let{width,height}=byId(
"canvas").getBoundingClientRect(),room={n:(box[2]-box[0])*width,e:(box[3]-box[1])*height};return Object.keys(GRIPS).filter(
name=>name.length===2||room["ns".includes(name)?"n":"e"]>=MIDDLE_PX).map(name=>[name,GRIPS[name]]).map(([name,[x,y]])=>grip(
name,box[0]+x*(box[2]-box[0]),box[1]+y*(box[3]-box[1])))}function pathCorners(){if(!state.editor.path)return[];let[first,
cross]=[state.editor.path[0],state.editor.cross];return state.editor.shape==="polygon"||!first?[...state.editor.path,cross]:
[first,[cross[0],first[1]],cross,[first[0],cross[1]],first]}function drawPath(){let points=pathCorners().map(point=>point.
join(",")).join(" ");byId("canvas-path").replaceChildren(...["edge","line"].map(kind=>svgElement("polyline",{class:kind,
points}))),byId("canvas").classList.toggle("drawing",state.editor.path!==null);for(let shape2 of["box","polygon"])byId(`\
new-${shape2}`).setAttribute("aria-pressed",String(state.editor.shape===shape2))}function drawItems(){let items=visibleItems(),
shapes=items.map(itemShape),host=byId("canvas-items");for(let old of[...host.children])shapes.includes(old)||old.remove();
for(let shape2 of shapes)shape2.parentNode!==host&&host.append(shape2);let tags=items.map(itemTag),marks=state.editor.path?
[...state.editor.path.map(([x,y])=>grip("set",x,y)),grip("cross",state.editor.cross[0],state.editor.cross[1])]:[];byId("\
canvas-marks").replaceChildren(...tags,...grips(),...marks),drawPath()}var xOf=(seconds,end)=>(1e3*Math.min(Math.max(seconds/end,0),1)).toFixed(1),yOf=value=>(100-value).toFixed(1),pointsPerMean=points=>points>
480?Math.ceil(points/240):1;function linePath(times,values,end){let path="",open=!1;return values.forEach((value,i)=>{value!==
null&&(path+=`${open?"L":"M"}${xOf(times[i],end)} ${yOf(value)}`),value!==null&&(i+1===values.length||!open&&values[i+1]===
null)&&(path+=`H${xOf(times[i+1]??end,end)}`),open=value!==null}),path}function curvePaths(times,values,end){let size=pointsPerMean(
times.length);if(size===1)return{line:linePath(times,values,end),band:null};let starts=times.filter((_,i)=>i%size===0),groups=starts.
map((_,i)=>values.slice(i*size,(i+1)*size).filter(value=>value!==null)),means=groups.map(group=>group.length?group.reduce(
(sum2,value)=>sum2+value,0)/group.length:null),boxes=groups.map((group,i)=>group.length?`M${xOf(starts[i],end)} ${yOf(Math.
max(...group))}H${xOf(starts[i+1]??end,end)}V${yOf(Math.min(...group))}H${xOf(starts[i],end)}z`:"");return{line:linePath(
starts,means,end),band:boxes.join("")}}var TICKS_S=[.1,.2,.5,1,2,5,10,15,30,60,120,300,600,900,1800,3600];function curveShapes(name){let{line,band}=curvePaths(
state.timeline.t,state.timeline.series[name],state.timeline.end),curve=svgElement("path",{class:`curve of-${name} ${metricOf.
get(name).basis}`,d:line});return band===null?[curve]:[svgElement("path",{class:`band of-${name}`,d:band}),curve]}function windowShade(from,to){
return svgElement("rect",{class:"window",x:1e3*shareOfTime(from),width:1e3*(shareOfTime(to)-shareOfTime(from)),y:0,height:100})}
function curveNames(){return report.curves.metrics.filter(name=>metricOf.has(name)&&state.timeline.series[name].some(value=>value!==
null))}function drawCurves(){let many=isDense()?" many":"",cuts=state.timeline.scenes.start.slice(1).map(start=>`M${xOf(
start,state.timeline.end)} 0V100`).join(""),lines=curveNames().filter(name=>state.curves.has(name)).map(curveShapes),[bands,
curves]=["band","curve"].map(kind=>lines.flat().filter(part=>part.classList.contains(kind)));byId("curves").replaceChildren(
windowShade(0,report.curves.window_s),windowShade(Math.max(0,state.timeline.end-report.curves.window_s),state.timeline.end),
svgElement("path",{class:"grid",d:"M0 0H1000M0 50H1000M0 100H1000"}),svgElement("path",{class:`cuts${many}`,d:cuts}),...bands,
...curves)}function drawTimes(){let narrow=byId("chart").clientWidth<520,step2=TICKS_S.find(tick=>state.timeline.end/tick<=
(narrow?4:9))??3600*Math.ceil(state.timeline.end/3600/9),ticks=[];for(let i=0;i*step2<=state.timeline.end*.97;i+=1)ticks.
push(element("span",{style:`left:${100*shareOfTime(i*step2)}%`},clock(i*step2,step2<1?1:0)));byId("times").replaceChildren(
...ticks)}function curveButton(name){let metric=metricOf.get(name),button=element("button",{type:"button",className:`chi\
p of-${name}`});button.dataset.curve=name;let parts=[element("i",{className:metric.basis}),element("span",{},metric.title),
proxyBadge(name),element("b")];return button.append(...parts.filter(Boolean)),button.title=metric.caption,button.addEventListener(
"click",()=>toggleCurve(name)),button}function toggleCurve(name){state.curves.delete(name)||state.curves.add(name),showChosen()}
function showChosen(){drawCurves();for(let button of byId("chips").children)button.setAttribute("aria-pressed",String(state.
curves.has(button.dataset.curve)));for(let cell of queryAll("#scene-list [data-curve]"))cell.classList.toggle("drawn",state.
curves.has(cell.dataset.curve));showValues()}function showValues(){let i=pointAt(state.now),scene=sceneAt(state.now),values=curveNames().
map(name=>({name,value:state.timeline.series[name][i]}));byId("moment-time").textContent=clock(state.now),byId("moment-s\
cene").textContent=`of ${clock(state.timeline.end)} · scene ${scene+1} of ${state.timeline.scenes.start.length}`;for(let{
name,value}of values)query(`#chips .of-${name} b`).textContent=value===null?"–":formatValue(value,metricOf.get(name));
let dots=values.filter(({name,value})=>value!==null&&state.curves.has(name));byId("dots").replaceChildren(...dots.map(({
name,value})=>element("i",{className:`of-${name}`,style:`left:${100*shareOfTime(state.now)}%;top:${100-value}%`}))),byId(
"curves-panel").style.setProperty("--now",`${100*shareOfTime(state.now)}%`),byId("moment").value=i;let words=dots.map(({
name,value})=>`${metricOf.get(name).title} ${formatValue(value,metricOf.get(name))}`);byId("moment").setAttribute("aria-\
valuetext",[clock(state.now),`scene ${scene+1}`,...words].join(", "))}function curvesNote(){let note=["Shaded: the first\
 and the last two seconds.","Vertical lines: cuts. Dashed curves are estimates."],point=state.timeline.pooled*state.timeline.
interval;state.timeline.pooled>1&&note.push(`Numbers at the cursor are means of ${state.timeline.pooled} samples (${point.
toFixed(1)} s); the table frames holds every one.`);let size=pointsPerMean(state.timeline.t.length);return size>1&&note.
push(`The line is the mean of ${Math.round(size*point)} s at a time, the band around it the range of the numbers.`),note.
join(" ")}function showCurves(){byId("moment").max=state.timeline.t.length-1,byId("chips").replaceChildren(...curveNames().
map(curveButton)),byId("curves-note").textContent=curvesNote(),drawTimes(),showChosen()}var LONG_LIST=12,marked=-1;function showStrip(){let{start,end}=state.timeline.scenes,blocks=start.map((from,i)=>{let block=element(
"i",{style:`left:${100*shareOfTime(from)}%;width:${100*(shareOfTime(end[i])-shareOfTime(from))}%`});return end[i]-from>state.
timeline.end/28&&(block.textContent=`${i+1}`),block});byId("scene-strip").classList.toggle("many",isDense()),byId("scene\
-strip").replaceChildren(...blocks,element("i",{className:"cursor"}))}function markScene(scene){scene!==marked&&(marked=
scene,queryAll("#scene-strip .open").forEach(block=>block.classList.remove("open")),queryAll("#scene-list [aria-current]").
forEach(row=>row.removeAttribute("aria-current")),byId("scene-strip").children[scene]?.classList.add("open"),byId("scene\
-list").querySelectorAll("tbody tr")[scene]?.setAttribute("aria-current","true"))}function sceneHead(names){let cells=names.
map(name=>{let cell=element("th",{scope:"col"},metricOf.get(name).title," ",proxyBadge(name));return cell.dataset.curve=
name,cell});return element("tr",{},...["Scene","Start","End","Begins with"].map(text=>element("th",{scope:"col"},text)),
...cells)}function sceneRow(i,names){let{start,end,begins,scores}=state.timeline.scenes,jump=element("button",{type:"but\
ton","aria-label":`Go to scene ${i+1}`},`${i+1}`),cells=names.map(name=>{let value=scores[name][i],cell=element("td",{},
value===null?"–":formatValue(value,metricOf.get(name)));return cell.dataset.curve=name,cell}),row=element("tr",{},element(
"th",{scope:"row"},jump),element("td",{},clock(start[i])),element("td",{},clock(end[i])),element("td",{},begins[i]),...cells);
return row.addEventListener("click",()=>toScene(i)),row}function showSceneList(){let n=state.timeline.scenes.start.length,
names=report.curves.metrics.filter(name=>metricOf.has(name)),list=byId("scene-list");list.open=n<=LONG_LIST,list.querySelector(
"summary").textContent=n===1?"One scene":`${n} scenes`,list.querySelector("thead").replaceChildren(sceneHead(names)),list.
querySelector("tbody").replaceChildren(...state.timeline.scenes.start.map((_,i)=>sceneRow(i,names)))}function toScene(i){
i>=0&&i<state.timeline.scenes.at.length&&showMoment(state.timeline.scenes.at[i])}function showScenes(){marked=-1,showStrip(),
showSceneList()}var LOOKS={preview_heat:"Attention",preview:"Plain",preview_fog:"Seen"},FULL={heat_video:"Full video with attention",fog_video:"\
Full video with fog"};function follow(seconds){video.paused||video.seeking||state.timeline===null||(state.now=state.timeline.
t[pointAt(seconds+state.timeline.interval/4)],notify("moment"))}function onFrame(_,frame){follow(frame.mediaTime),video.
requestVideoFrameCallback(onFrame)}async function togglePlay(){if(hasPreview()){if(!video.paused)return video.pause();(state.
untouched||pointAt(state.now)===state.timeline.t.length-1)&&showMoment(state.timeline.t[0]);try{await video.play()}catch{}}}
function showPlaying(){byId("play").setAttribute("aria-label",video.paused?"Play":"Pause"),byId("play").classList.toggle(
"playing",!video.paused)}function onPause(){showPlaying(),state.timeline!==null&&showMoment(state.now)}function stepSample(by){
video.pause();let target=state.timeline.t[pointAt(state.now)+by];target!==void 0&&showMoment(target)}function setLook(name){
let playing=!video.paused;state.preview=name,byId("video-problem").hidden=!0,releaseVideos(),video.src=videoOf(report.media[state.
open],name),state.seekTo=inPreview(state.now),byId("look-legend").replaceChildren(...report.looks[name]?[legend(report.looks[name])]:
[]);for(let button of byId("looks").children)button.setAttribute("aria-pressed",String(button.dataset.look===name));playing&&
togglePlay()}function lookButton(name){let button=element("button",{type:"button"},LOOKS[name]);return button.dataset.look=
name,button.addEventListener("click",()=>setLook(name)),button}function withoutPreview(medium){return`${medium.left_out.
some(name=>LOOKS[name])?"The preview is too large for this page; it is in the run’s folder":"This run kept no preview \
of this file"}. The curves stand alone.`}function showPreview(medium){let looks=Object.keys(LOOKS).filter(name=>medium.videos[name]),
links=Object.keys(FULL).filter(name=>medium.videos[name]);for(let id of["player","controls","looks","look-legend"])byId(
id).hidden=looks.length===0;byId("no-preview").hidden=looks.length>0,byId("no-preview").textContent=withoutPreview(medium),
byId("video-problem").hidden=!0,byId("looks").replaceChildren(...looks.map(lookButton)),byId("full-videos").replaceChildren(
...links.map(name=>element("a",{href:videoOf(medium,name),target:"_blank",rel:"noopener"},FULL[name]))),byId("film").style.
setProperty("--ratio",medium.width/medium.height),looks.length&&setLook(looks.includes(state.preview)?state.preview:looks[0]),
showPlaying()}function closePlayer(){video.pause(),state.seekTo=null,video.removeAttribute("src"),video.load(),releaseVideos()}
function firstMoment(){let{focus,clarity}=state.timeline.series,shows=state.timeline.t.map((_,i)=>i).filter(i=>focus?.[i]!=
null&&clarity?.[i]!=null);return state.timeline.t[shows.reduce((best,i)=>best<0||focus[i]>focus[best]?i:best,-1)]??state.
timeline.t[0]}function showPlayer(medium){closePlayer(),state.timeline=medium.timeline;for(let id of["moments","curves-p\
anel","scene-list"])byId(id).hidden=state.timeline===null;if(state.timeline===null)return;state.now=firstMoment(),state.
untouched=!0;let sheet=imageOf(medium,"contact_sheet");byId("sheet-in-print").classList.toggle("none",!sheet),byId("shee\
t-in-print").src=sheet??"data:,",showPreview(medium),showScenes(),showCurves(),notify("moment"),state.now>state.timeline.
t[0]&&(byId("moment-scene").textContent+=" · where attention is most gathered")}function onPointer(event){let down=event.
type==="pointerdown";if(down&&event.button!==0)return;if(down)event.currentTarget.setPointerCapture(event.pointerId),byId(
"moment").focus({preventScroll:!0}),event.preventDefault();else if(!event.currentTarget.hasPointerCapture(event.pointerId)&&
(event.pointerType!=="mouse"||!video.paused))return;let box=event.currentTarget.getBoundingClientRect(),seconds=(event.clientX-
box.left)/box.width*state.timeline.end;showMoment(state.timeline.t[pointAt(seconds)])}function onScenePointer(event){let box=event.
currentTarget.getBoundingClientRect();toScene(lastUntil(state.timeline.scenes.start,(event.clientX-box.left)/box.width*state.
timeline.end))}function playerKey(event){if(state.timeline===null||event.target.matches("input, select, textarea")&&event.
target!==byId("moment"))return!1;let keys={" ":event.target.matches("button, summary, a")||!hasPreview()?null:togglePlay,
",":()=>stepSample(-1),".":()=>stepSample(1),PageUp:event.target===byId("moment")?()=>toScene(sceneAt(state.now)-1):null,
PageDown:event.target===byId("moment")?()=>toScene(sceneAt(state.now)+1):null};return keys[event.key]?(event.preventDefault(),
keys[event.key](),!0):!1}function onVideoError(){video.getAttribute("src")&&(byId("video-problem").textContent=`This pre\
view cannot be shown (${video.getAttribute("src")}): it is not where the run left it, or the browser does not play H.264\
. Keep the folders report and maps together.`,byId("video-problem").hidden=!1)}function wirePlayer(){listen("moment",showValues),
listen("moment",()=>markScene(sceneAt(state.now))),byId("play").addEventListener("click",togglePlay),byId("step-back").addEventListener(
"click",()=>stepSample(-1)),byId("step-on").addEventListener("click",()=>stepSample(1)),byId("moment").addEventListener(
"input",event=>showMoment(state.timeline.t[event.target.value]));for(let kind of["pointerdown","pointermove"])byId("char\
t").addEventListener(kind,onPointer);byId("scene-strip").addEventListener("click",onScenePointer),video.addEventListener(
"play",showPlaying),video.addEventListener("pause",onPause);for(let kind of["loadedmetadata","seeked"])video.addEventListener(
kind,onSeekable);video.requestVideoFrameCallback?video.requestVideoFrameCallback(onFrame):video.addEventListener("timeup\
date",()=>follow(video.currentTime)),video.addEventListener("click",togglePlay),video.addEventListener("error",onVideoError),
addEventListener("resize",()=>{state.timeline!==null&&state.open!==null&&drawTimes()})}function openEditor(){let medium=report.media[state.open];state.editor.draft=draftOf(medium),putDown(),itemShapes.clear(),
video.pause(),medium.moves&&medium.videos.preview&&setLook("preview"),medium.moves||setLeft(medium.maps.original?"origin\
al":Object.keys(medium.maps)[0],medium),byId(medium.moves?"film":"compare").append(byId("canvas")),setEditing(!0),byId("\
saved-how").hidden=!0,notify("draft"),loadScorer(medium),byId("canvas").focus({preventScroll:!0}),say(state.editor.draft.
list.length?"Tab goes from area to area. N draws a new box.":"Drag on the image to draw an area.")}function setEditing(on){
byId("detail").classList.toggle("editing",on);for(let id of["canvas","editor"])byId(id).hidden=!on;byId("areas").hidden=
on,byId("editor").classList.toggle("timed",on&&state.editor.draft.medium.moves)}function closeEditor(){if(state.editor.draft===
null)return;endTyping();let{medium}=state.editor.draft;state.editor.draft=null,putDown(),setEditing(!1),showDraft(medium),
report.media[state.open]===medium&&(showAreas(medium),byId("show-areas").hidden=medium.areas.length===0,byId("edit-areas").
focus({preventScroll:!0}))}var LONG_SIDE=1e3,RADIUS=20,RADIUS_S=.25,ANGLES=12,LISTED=8,IN_LINE=3,PAUSE_S=1,timer=null;function nameOf(area){let[title,
name]=[areaTitle.get(area.type),areaName(area)];return name===title||area.type==="other"?name:`${title} “${name}”`}function sentence(medium){
let first=medium.looks.order.slice(0,IN_LINE).map(([area])=>area),titles=first.map(area=>medium.areas[area].type==="othe\
r"?areaName(medium.areas[area]):areaTitle.get(medium.areas[area].type)),words=titles.map((title,i)=>{let which=titles.filter(
other=>other===title).length>1?` (area ${first[i]+1})`:"";return`${i?`then ${title.toLowerCase()}`:title}${which}`});return words.
length?`${words.join(", ")}; an estimate`:"an estimate"}function orderItem(medium,[area,share],i,all){let words=i===all.
length-1?"":` ${share} %`;return element("li",{},`${nameOf(medium.areas[area])} (area ${area+1})`,element("b",{},words))}
function colours(i,n){let place=n>1?i/(n-1):0;return{fill:`hsl(${Math.round(226-100*place)} 62% ${Math.round(36+38*place)}\
%)`,ink:place>.25?"#18191f":"#ffffff"}}function numberAt({x,y,radius,size},earlier){let angles=Array.from({length:ANGLES},
(_,i)=>2*Math.PI*i/ANGLES),reach=Math.max(0,radius-size/2),places2=[{x,y},...angles.map(angle=>({x:x+reach*Math.cos(angle),
y:y+reach*Math.sin(angle)}))],isClear=place=>earlier.every(other=>Math.hypot(place.x-other.x,place.y-other.y)>other.radius+
.6*size);return places2.find(isClear)??null}function drawPath2(medium,seconds){let wide=medium.width>=medium.height,[width,
height]=wide?[LONG_SIDE,LONG_SIDE*medium.height/medium.width]:[LONG_SIDE*medium.width/medium.height,LONG_SIDE],path=medium.
looks.path.filter(([,,onset])=>onset<=seconds),canvas=byId("looks-path");canvas.setAttribute("viewBox",`0 0 ${width} ${height}`);
let points=path.map(([x,y])=>`${x*width},${y*height}`).join(" "),lines=[["edge",7],["line",2.5]].map(([name,size])=>svgElement(
"polyline",{class:name,points,"stroke-width":size})),circles=path.map(([x,y,onset,duration])=>{let radius=RADIUS*Math.sqrt(
Math.max(.03,Math.min(duration,seconds-onset))/RADIUS_S);return{x:x*width,y:y*height,radius,size:Math.max(11,Math.min(radius*
1.05,24))}}),looks=circles.map((circle,i)=>{let{fill,ink}=colours(i,medium.looks.path.length),group=svgElement("g",{});group.
append(svgElement("circle",{cx:circle.x,cy:circle.y,r:circle.radius,fill,"stroke-width":2.5}));let place=numberAt(circle,
circles.slice(0,i));if(place){let number=svgElement("text",{...place,fill:ink,"font-size":circle.size});number.append(`${i+
1}`),group.append(number)}return group});canvas.replaceChildren(...lines,...looks.reverse())}function stop(){cancelAnimationFrame(
timer),timer=null,byId("looks-play").textContent="Play",byId("looks-play").setAttribute("aria-pressed","false"),openMedium()?.
looks&&drawPath2(openMedium(),1/0)}function play(){if(timer!==null)return stop();let medium=openMedium(),[,,onset,duration]=medium.
looks.path.at(-1),began=performance.now();byId("looks-play").textContent="Stop",byId("looks-play").setAttribute("aria-pr\
essed","true");let step2=()=>{let seconds=(performance.now()-began)/1e3;if(openMedium()!==medium||seconds>onset+duration+
PAUSE_S)return stop();drawPath2(medium,seconds),timer=requestAnimationFrame(step2)};timer=requestAnimationFrame(step2)}function showLooks(medium){
if(byId("order-of-looks").hidden=!medium.looks,timer!==null&&stop(),!medium.looks)return;let{order,path}=medium.looks,source=medium.
maps.original?imageOf(medium,"original"):null;byId("looks-line").textContent=sentence(medium),byId("looks-figure").hidden=
!source,source&&(byId("looks-picture").src=source),byId("looks-picture").alt="",byId("looks-path").setAttribute("aria-la\
bel",`Typical path of a simulated viewer: ${path.length} looks`),byId("looks-order").replaceChildren(...order.slice(0,LISTED).
map((one,i)=>orderItem(medium,one,i,order)));let[more,rare]=[order.length-LISTED,medium.areas.length-order.length],rest=[
more>0?`${more} more follow.`:"",rare>0?`${rare} ${rare===1?"area is":"areas are"} looked at by fewer than 5 %.`:""];byId(
"looks-rest").textContent=order.length||rare?rest.filter(Boolean).join(" "):"No areas were found, so there is no order o\
f areas.",drawPath2(medium,1/0)}function wireLooks(){byId("looks-play").addEventListener("click",play)}var PREVIEW="preview_heat",PATIENCE_MS=8e3,ZOOMS2=["",.94,.88,.82,.76,.7,.64,.58,.52],template=medium=>byId(`film-${medium.
id}`);function happens(video2,name){return new Promise((resolve,reject)=>{video2.addEventListener(name,resolve,{once:!0}),
video2.addEventListener("error",reject,{once:!0}),setTimeout(reject,PATIENCE_MS,new Error(`no ${name}`))})}async function drawFrames(paper,medium){
let address=medium.videos[PREVIEW]&&videoOf(medium,PREVIEW),frames=paper.querySelector(".frames");try{if(!address)throw new Error(
"no preview");let video2=element("video",{muted:!0,preload:"auto",src:address});await happens(video2,"loadeddata"),frames.
classList.toggle("upright",video2.videoHeight>video2.videoWidth);for(let figure of frames.children){let sought=happens(video2,
"seeked");video2.currentTime=Number(figure.dataset.at),await sought;let canvas=figure.querySelector("canvas");canvas.width=
video2.videoWidth,canvas.height=video2.videoHeight,canvas.getContext("2d").drawImage(video2,0,0)}}catch{frames.remove();
let instead=paper.querySelector(".instead"),sheet=imageOf(medium,"contact_sheet");if(!sheet)return;instead.src=sheet,instead.
hidden=!1,await instead.decode().catch(()=>instead.remove())}}function fitOnPage(paper){let parts=paper.querySelectorAll(
".frames, .instead, .timeline, .tables");for(let zoom of ZOOMS2){for(let part of parts)part.style.zoom=zoom;if(paper.scrollHeight<=
paper.clientHeight+1)return}}async function layOut2(medium){putAway();let paper=element("article",{className:"film-paper\
 film-sheet measured",lang:"en"});return paper.append(template(medium).content.cloneNode(!0)),document.body.append(paper),
await drawFrames(paper,medium),fitOnPage(paper),paper.classList.remove("measured"),document.body.classList.add("prints-f\
ilm"),paper}function putAway(){document.body.classList.remove("prints-film"),query(".film-paper")?.remove()}function showFilmButton(medium){
byId("print-film").hidden=template(medium)===null}function wireFilmPrint(){byId("print-film").addEventListener("click",async()=>{
await layOut2(report.media[state.open]),print()}),addEventListener("afterprint",putAway)}function factsLine(medium){let size=medium.size_bytes===null?null:`${Math.max(1,Math.round(medium.size_bytes/1e3)).toLocaleString(
"en")} kB`,pixels=medium.width===null?null:`${medium.width} × ${medium.height} px`,copies=medium.paths.length>1?`${medium.
paths.length} identical files`:null,rate=medium.frame_rate===null?null:`${Number(medium.frame_rate.toFixed(2))} fps`,length=medium.
moves?clock(medium.duration_s):null,read=medium.share_read!==null&&medium.share_read<1?`${Math.floor(100*medium.share_read)}\
 % of the file could be read`:null,objective=medium.objective,domain=domainWords(medium);return[medium.paths.length===1&&
medium.paths[0]===medium.name?null:medium.paths.join(", "),objective,domain,length,pixels,rate,medium.codec?.toUpperCase(),
size,copies,read].filter(Boolean).join(" · ")}function domainWords(medium){return medium.domain===null?null:medium.domain_probability===
null?medium.domain:`${medium.domain} (${Math.round(100*medium.domain_probability)} % sure)`}function showNotes(medium){byId(
"notes").hidden=medium.notes.length===0,byId("notes-line").textContent=`${medium.notes.length}`;let items=medium.notes.map(
note=>element("li",{},element("code",{},note.code),` ${note.message}`));byId("notes").querySelector("ul").replaceChildren(
...items)}function showDetail(index){state.open=index,closeEditor();let medium=report.media[index];byId("detail-name").textContent=
medium.name,byId("detail-facts").textContent=factsLine(medium),byId("unlike").hidden=medium.unlike===null,byId("unlike-s\
hare").textContent=medium.unlike===null?"":`${Math.min(100,100*medium.unlike).toFixed(1)} %`,showPictures(medium),showPlayer(
medium),showFilmButton(medium),byId("player-keys").hidden=medium.timeline===null,showMediumSummary(medium),showScores(medium),
showRules(index),showNotes(medium),showOverTime(medium),showAreas(medium),showLooks(medium),showPlacements(medium),showSteps()}
function steppedMedia(){let open=state.shown.filter(index=>report.media[index].done&&report.media[index].id);return open.
includes(state.open)?open:[state.open,...open]}function showSteps(){let path=steppedMedia(),at=path.indexOf(state.open);
byId("detail-place").textContent=`${at+1} of ${path.length}`,byId("previous").disabled=at===0,byId("next").disabled=at===
path.length-1}function stepMedium(by){let path=steppedMedia(),target=path[path.indexOf(state.open)+by];target!==void 0&&
location.replace(`#${report.media[target].id}`)}function unfoldForPrint(){let folded=queryAll("#detail details:not([open\
])");for(let fold of folded)fold.open=!0;addEventListener("afterprint",()=>{for(let fold of folded)fold.open=!1},{once:!0})}
function wireDetail(){addEventListener("beforeprint",unfoldForPrint),byId("previous").addEventListener("click",()=>stepMedium(
-1)),byId("next").addEventListener("click",()=>stepMedium(1)),byId("compare-windows").addEventListener("click",compareWindows)}var TYPED="input, select, textarea";function showShortcuts(){byId("shortcuts").showModal()}function nextWindow(){let times=windowsOf(
openMedium());times.length&&setWindow(times[(times.indexOf(state.window)+1)%times.length])}function viewerKey(event){if(state.
editor.draft!==null||event.target.matches(TYPED)&&event.target.type!=="range")return!1;let layer=layersOf(openMedium())[Number(
event.key)-1],act=layer?()=>chooseLayer(layer):{d:toggleDivider,x:swapSides,w:nextWindow,a:toggleAreas,z:()=>toggleZoom(),
"?":showShortcuts}[event.key.toLowerCase()];return act?(event.preventDefault(),act(),!0):!1}function wireShortcuts(){byId(
"keys").addEventListener("click",showShortcuts),byId("close-shortcuts").addEventListener("click",()=>byId("shortcuts").close()),
byId("shortcuts").addEventListener("click",event=>{event.target===byId("shortcuts")&&byId("shortcuts").close()})}function replaceItem(changed,before){recordList(state.editor.draft,state.editor.draft.list.map(item=>item.key===changed.
key?changed:item),before)}function changeItem(item,make,words){followed(item)&&say("It now stays at this place.");let changed=make(
item);changed!==item&&(replaceItem(changed),notify("draft"),words&&say(words))}function sceneSpan(){if(state.timeline===
null||state.timeline.scenes.start.length<2)return{t0:null,t1:null};let{start,end}=state.timeline.scenes;return{t0:start[sceneAt(
state.now)],t1:end[sceneAt(state.now)]}}function newItem(box,polygon=null){return placed({key:newKey(),type:state.editor.
newType,label:"",...sceneSpan(),found:null},box,polygon)}function addItem(item){recordList(state.editor.draft,[...state.
editor.draft.list,item]),notify("draft"),focusItem(item.key),say(`New ${itemWords(item)}. Choose its type and name it.`)}
function startPath(shape2,words){let again=state.editor.shape===shape2;leavePath(again?`The ${shape2} was left.`:null),!again&&
([state.editor.path,state.editor.shape,state.editor.cross,state.editor.chosen]=[[],shape2,[.5,.5],null],notify("draft"),
byId("canvas").focus({preventScroll:!0}),say(words))}function startBox(){startPath("box","New box: drag on the image, or\
 set two opposite corners with the arrows and Space.")}function removeItem(){let item=chosenItem();if(!item)return;let i=state.
editor.draft.list.indexOf(item);recordList(state.editor.draft,state.editor.draft.list.filter(other=>other!==item)),state.
editor.chosen=null,notify("draft");let next=state.editor.draft.list[Math.min(i,state.editor.draft.list.length-1)];next&&
itemBoxNow(next)?focusItem(next.key):byId("canvas").focus({preventScroll:!0}),say(`Deleted: ${areaTitle.get(item.type)}${item.
label?` “${item.label}”`:""}.`)}function undo(back=!0){if(state.editor.path)return back&&state.editor.path.length?dropCorner():
leavePath(`The ${state.editor.shape} was left.`);let moved=back?moveThrough(state.editor.draft,state.editor.draft.past,state.
editor.draft.future):moveThrough(state.editor.draft,state.editor.draft.future,state.editor.draft.past);return chosenItem()||
(state.editor.chosen=null),state.editor.corner=null,notify("draft"),state.editor.chosen!==null&&focusItem(state.editor.chosen),
say(moved?back?"Undone.":"Done again.":`Nothing to ${back?"undo":"redo"}.`)}function startPolygon(){startPath("polygon",
"New polygon: click its corners, or set them with the arrows and Space. Enter closes it.")}function leavePath(words){[state.
editor.path,state.editor.shape]=[null,null],notify("draft"),words&&say(words)}function addCorner(point){let last=state.editor.
path.at(-1);if(!(last&&Math.hypot(last[0]-point[0],last[1]-point[1])<.005))return state.editor.cross=point,state.editor.
shape==="box"&&last?closeBox(last,point):(state.editor.path.push(point),drawItems(),state.editor.shape==="box"?say("Firs\
t corner. Space sets the opposite one."):say(`Corner ${state.editor.path.length}.${state.editor.path.length>2?" Enter cl\
oses the polygon.":""}`))}function closeBox(first,second){let box=bounds([first,second]);return box[2]-box[0]<.005||box[3]-
box[1]<.005?say("The corners of a box must be apart in both directions."):(leavePath(),addItem(newItem(box)))}function closePath(){
if(state.editor.shape==="box")return addCorner(state.editor.cross);let box=state.editor.path.length>2?bounds(state.editor.
path):null;if(!box||box[2]-box[0]<.005||box[3]-box[1]<.005)return say("A polygon needs three corners that are apart.");let item=newItem(
box,state.editor.path);return[state.editor.path,state.editor.shape]=[null,null],addItem(item)}function chooseCorner(by){
let item=chosenItem();if(!item?.polygon)return;let n=item.polygon.length;state.editor.corner=state.editor.corner===null?
by>0?0:n-1:(state.editor.corner+by+n)%n,drawItems(),say(`Corner ${state.editor.corner+1} of ${n}: the arrows move it.`)}
function dropCorner(){state.editor.path.pop(),drawItems(),say(`${state.editor.path.length} corners.`)}var NEAR_PX=9,NEAR_TOUCH_PX=22,canvasSize=()=>byId("canvas").getBoundingClientRect(),nearPx=event=>event.pointerType==="\
touch"?NEAR_TOUCH_PX:NEAR_PX;function gestureAt(event,at){let item=chosenItem(),name=event.target.dataset?.grip;if(name&&
item)return item.polygon?{kind:"corner",item,i:Number(name)}:{kind:"resize",item,sides:name};let size=canvasSize(),near=other=>outlineDistance(
other,at,size)<NEAR_PX,items=visibleItems();if(item&&items.includes(item)&&(near(item)||isInside(item,at)))return{kind:"\
move",item};let[nearest]=bySize(items,near);return nearest?{kind:"move",item:nearest}:{kind:"draw",item:null}}function onPress(at,event){
endTyping();let boxing=state.editor.shape==="box"&&state.editor.path.length===0;if(state.editor.path&&!boxing)return pressCorner(
at,event);boxing&&leavePath(),state.editor.gesture={...boxing?{kind:"draw",item:null,boxing}:gestureAt(event,at),from:at,
before:state.editor.draft.list,going:!1}}function pressCorner(at,event){let size=canvasSize(),first=state.editor.path[0];
return state.editor.shape==="polygon"&&state.editor.path.length>2&&Math.hypot((at[0]-first[0])*size.width,(at[1]-first[1])*
size.height)<nearPx(event)?closePath():addCorner(at)}function reshaped(at){let{kind,item,from}=state.editor.gesture,[dx,
dy]=[at[0]-from[0],at[1]-from[1]];return kind==="move"?movedBy(item,dx,dy):kind==="resize"?resizedBy(item,state.editor.gesture.
sides,dx,dy):kind==="corner"?withCorner(item,state.editor.gesture.i,at):placed(item,bounds([from,at]),null)}function beginGesture(){
state.editor.gesture.going=!0,state.editor.gesture.kind==="draw"?(state.editor.gesture.item=newItem(bounds([state.editor.
gesture.from])),state.editor.draft.list=[...state.editor.gesture.before,state.editor.gesture.item]):followed(state.editor.
gesture.item)&&(say("It now stays at this place."),state.editor.gesture.item=placed(state.editor.gesture.item,itemBox(state.
editor.gesture.item),null)),state.editor.chosen=state.editor.gesture.item.key}function onHover(at,event){!state.editor.path||
event.pointerType!=="mouse"||(state.editor.cross=at,drawPath())}function onDrag(at){if(!state.editor.gesture)return;state.
editor.gesture.going||beginGesture();let changed=reshaped(at);return state.editor.draft.list=state.editor.draft.list.map(
item=>item.key===changed.key?changed:item),drawItems(),showScores2()}function onRelease(at,event){if(!state.editor.gesture)
return;let done=state.editor.gesture;state.editor.gesture=null;let list=state.editor.draft.list;state.editor.draft.list=
done.before;let clicked=!done.going||done.kind==="draw"&&isClick(list.at(-1).box,canvasSize(),event.pointerType);return clicked&&
done.boxing?startBox():clicked?done.kind==="draw"||done.kind==="move"?clickAt(at,event):void 0:(recordList(state.editor.
draft,list),notify("draft"),focusItem(state.editor.chosen),done.kind==="draw"?say(`New ${itemWords(chosenItem())}. Choos\
e its type and name it.`):void 0)}function clickAt(at,event){let there=bySize(visibleItems(),item=>isInside(item,at)||outlineDistance(
item,at,canvasSize())<nearPx(event));return there.length?focusItem(there[(there.indexOf(chosenItem())+1)%there.length].key):
(state.editor.chosen=null,byId("canvas").focus({preventScroll:!0}),notify("draft"))}function leaveGesture(){state.editor.
draft.list=state.editor.gesture.before,state.editor.gesture=null,chosenItem()||(state.editor.chosen=null),notify("draft"),
say("Left as it was.")}function wireDrawing(){let canvas=byId("canvas");listen("draft",drawItems),listen("moment",()=>{state.
editor.draft!==null&&drawItems()}),wirePresses(canvas,{onPress,onHover,onDrag,onRelease,onCancel:()=>{state.editor.gesture&&
leaveGesture()}}),canvas.addEventListener("dblclick",()=>{state.editor.shape==="polygon"&&closePath()});for(let kind of[
"pointerdown","pointermove","click"])canvas.addEventListener(kind,event=>event.stopPropagation())}var NUDGE=.005,ARROWS2={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};function onArrow([x,y],event){
let step2=event.repeat?2*NUDGE:NUDGE,[dx,dy]=[x*step2,y*step2];if(state.editor.path)return state.editor.cross=[limited(state.
editor.cross[0]+2*dx,0,1),limited(state.editor.cross[1]+2*dy,0,1)],drawItems();let item=chosenItem();return!item||!itemBoxNow(
item)?say("Choose an area first: Tab goes from one to the next."):event.shiftKey?changeItem(item,area=>resizedBy(area,"s\
e",dx,dy),null):state.editor.corner!==null?changeItem(item,area=>withCorner(area,state.editor.corner,[area.polygon[state.
editor.corner][0]+dx,area.polygon[state.editor.corner][1]+dy])):changeItem(item,area=>movedBy(area,dx,dy))}function onEscape(){
if(state.editor.path)return leavePath(`The ${state.editor.shape} was left.`);if(state.editor.corner!==null)state.editor.
corner=null;else if(state.editor.chosen!==null)state.editor.chosen=null;else if(!leaveZoom())return closeEditor();return byId(
"canvas").focus({preventScroll:!0}),notify("draft")}var EDITOR_KEYS={n:startBox,p:startPolygon,Delete:removeItem,Backspace:()=>state.
editor.path?dropCorner():removeItem(),"[":()=>chooseCorner(-1),"]":()=>chooseCorner(1)};function canvasKey(event){return event.
key==="Enter"?state.editor.path?closePath():chosenItem()&&byId("area-label").focus():event.key===" "&&state.editor.path?
addCorner(state.editor.cross):ARROWS2[event.key]?onArrow(ARROWS2[event.key],event)??!0:!1}function editorKey(event){if(state.
editor.draft===null)return!1;if(state.editor.gesture)return gestureKey(event);if(event.isComposing)return!1;let typing2=event.
target.matches("input, select, textarea");if(event.key==="Escape")return event.preventDefault(),typing2&&event.target.closest(
"#editor")&&chosenItem()?focusItem(state.editor.chosen):onEscape(),!0;if(typing2)return!1;if(event.ctrlKey||event.metaKey)
return historyKey(event);if(event.altKey)return!1;let onCanvas=byId("canvas").contains(event.target)||event.target===document.
body||event.target===byId("detail"),wants=EDITOR_KEYS[event.key.length===1?event.key.toLowerCase():event.key],takes=wants!==
void 0||onCanvas&&(ARROWS2[event.key]||event.key==="Enter"||event.key===" "&&state.editor.path);return takes&&event.preventDefault(),
wants?wants():takes&&canvasKey(event),!!takes||event.key in ARROWS2||event.key==="j"||event.key==="k"}function gestureKey(event){
return event.preventDefault(),event.key==="Escape"&&leaveGesture(),!0}function historyKey(event){let key=event.key.toLowerCase();
return key!=="z"&&key!=="y"?!1:(event.preventDefault(),undo(key==="z"&&!event.shiftKey),!0)}var RESUMED="mediaan-resumed",POLL_MS=1500;function apiArea(item,medium){let{type,aoi_id,...rest}=areaRecord(item,medium);
return{...rest,aoi_type:type,...aoi_id?{uuid:aoi_id}:{}}}async function askServer(method,address,body){let options={method,
headers:{"Content-Type":"application/json"},body:JSON.stringify(body)},response=await fetch(address,body===void 0?{method}:
options).catch(()=>null);if(response===null)throw new Error("the server cannot be reached");let answer=await response.json().
catch(()=>({}));if(response.status===401)throw new Error("you are no longer signed in; sign in on another tab, then try \
again");if(!response.ok)throw new Error(answer.detail??`the server answered ${response.status}`);return{status:response.
status,answer}}function reloadAt(words){try{sessionStorage.setItem(RESUMED,JSON.stringify({words,moment:state.timeline===
null?null:state.now}))}catch{}location.reload()}function setWaiting(on){for(let id of["editor","canvas","areas"])byId(id).
inert=on}async function saveOnServer(draft){setWaiting(!0),byId("editor-says").classList.remove("error"),say("Saving, an\
d scoring the areas …");try{let aois=draft.list.map(item=>apiArea(item,draft.medium)),{status,answer}=await askServer(
"PUT",served.areas,{aois});return draft.saved=draft.list,status===202?say(`${answer.detail}. It takes longer than usual:\
 load this page again in a while.`):(drafts.delete(draft.medium.id),keepDrafts(),reloadAt("Saved and scored."))}catch(error){
return byId("editor-says").classList.add("error"),say(`Not saved: ${error.message}`)}finally{setWaiting(!1)}}async function findAreas(){
let button=byId("find-areas");button.disabled=!0,byId("areas-note").textContent="Looking for brand, product, headline, t\
ext, faces and people …";try{let{status}=await askServer("POST",`${served.areas}/detect`),medium=status===202?await searchEnds():
null;if(medium?.aoi_status==="failed")throw new Error(medium.error??"the search failed");reloadAt("The search is done.")}catch(error){
byId("areas-note").textContent=`Nothing was found: ${error.message}`,button.disabled=!1}}async function searchEnds(){for(;;){
await new Promise(resolve=>{setTimeout(resolve,POLL_MS)});let{answer}=await askServer("GET",served.medium);if(answer.aoi_status!==
"started")return answer}}function resume(){let kept=null;try{kept=JSON.parse(sessionStorage.getItem(RESUMED)),sessionStorage.
removeItem(RESUMED)}catch{}kept===null||state.open===null||(kept.moment!==null&&state.timeline!==null&&showMoment(kept.moment),
byId("areas-note").textContent=`${kept.words} ${byId("areas-note").textContent}`,byId("edit-areas").focus({preventScroll:!0}))}
function openOnly(){let[medium]=report.media;if(report.media.length>1||!medium.done)return!1;document.title=`${medium.name}\
: attention report`;for(let id of["detail-place","previous","next"])byId(id).hidden=!0;return location.hash||history.replaceState(
null,"",`#${medium.id}`),!0}function wireServed(){document.documentElement.classList.add("served"),query(".masthead h1").
textContent=served.company,byId("back").href=served.home,byId("back").textContent="← All files";for(let name of queryAll(
"[data-run]"))name.closest("p").hidden=!0;byId("edit-areas").before(element("button",{type:"button",id:"find-areas"},"Fi\
nd areas")),byId("find-areas").addEventListener("click",findAreas),openOnly()||query(".masthead nav").prepend(element("a",
{href:served.home},"All files"))}var listBefore=null;function draftRow(item,i){let number=element("span",{className:`area-number type-${item.type}`,"aria\
-hidden":"true"},`${i+1}`),name=element("span",{},item.label.split(`
`)[0]||areaTitle.get(item.type)),status=item.found===null?"new":item.moved?"moved":null,button=element("button",{type:"b\
utton"},number,name,element("small",{},[item.label?areaTitle.get(item.type):null,status,seenWords(item)].filter(Boolean).
join(", ")));return item.key===state.editor.chosen&&button.setAttribute("aria-current","true"),button.addEventListener("\
click",()=>goToItem(item)),element("li",{},button)}function goToItem(item){itemBoxNow(item)||showMoment(followed(item)?spansOf(
runAreas(state.editor.draft.medium)[item.found])[0][0]:item.t0??0),focusItem(item.key)}var toMs=seconds=>seconds==null?null:
Math.round(1e3*seconds)/1e3,setField=(id,value)=>{document.activeElement!==byId(id)&&(byId(id).value=value??"")};function showForm(){
let item=chosenItem();byId("area-form-title").textContent=item?`Area ${state.editor.draft.list.indexOf(item)+1}`:"The ne\
xt area",byId("area-label").disabled=!item,setField("area-type",item?.type??state.editor.newType),setField("area-label",
item?.label),setField("area-from",toMs(item?.t0)),setField("area-until",toMs(item?.t1));for(let id of["area-from","area-\
until"])byId(id).disabled=!item||followed(item),byId(id).title=item&&followed(item)?"It is followed through the video; m\
ove it to set times by hand":""}function showPanel(){showForm(),byId("draft-list").replaceChildren(...state.editor.draft.
list.map(draftRow)),byId("undo").disabled=state.editor.draft.past.length===0,byId("redo").disabled=state.editor.draft.future.
length===0,byId("remove-area").disabled=!chosenItem(),byId("discard").disabled=state.editor.draft.list===state.editor.draft.
start;let changed=[...drafts.values()].filter(draft=>draft.list!==draft.start);byId("save-all").hidden=changed.length<2,
byId("save-all").textContent=`Save all ${changed.length} edited files`}function setType(){state.editor.newType=byId("are\
a-type").value;let item=chosenItem();item&&(replaceItem({...item,type:state.editor.newType}),notify("draft"))}function typeLabel(){
let item=chosenItem();if(!item)return;listBefore??=state.editor.draft.list;let label=shortLabel(byId("area-label").value);
state.editor.draft.list=state.editor.draft.list.map(other=>other===item?{...other,label}:other),notify("draft")}function endLabel(){
if(listBefore===null||state.editor.draft===null)return;let[list,before]=[state.editor.draft.list,listBefore];listBefore=
null,state.editor.draft.list=before,recordList(state.editor.draft,list),showPanel()}var secondsIn=id=>byId(id).value===""?
null:byId(id).valueAsNumber;function setSpan(){let item=chosenItem();if(!item)return;let[t0,t1]=[secondsIn("area-from"),
secondsIn("area-until")],wrong2=Number.isNaN(t0)||Number.isNaN(t1)||(t0??0)<0||(t0??0)>=(t1??1/0)||(t0??0)>=state.timeline.
end;return byId("area-until").setCustomValidity(wrong2?"must lie after the beginning":""),wrong2?say(`Not taken: it must\
 begin within the ${state.editor.draft.medium.kind} and end later than it begins.`):(replaceItem({...item,t0,t1,moved:!0}),
notify("draft"),say(itemBoxNow(chosenItem())?"Times are set.":"Times are set; at the moment shown it is not there."))}function saveAreas(saved){
if(served)return saveOnServer(saved[0]);saveDrafts(saved),byId("apply-command").textContent=applyCommand(),byId("saved-h\
ow").hidden=!1,byId("saved-how").scrollIntoView({block:"nearest"});let media=saved.length===1?"this file":`${saved.length}\
 media`;return say(`Saved the areas of ${media} as areas.json.`)}function discardEdits(){discardDraft(state.editor.draft),
putDown(),notify("draft"),byId("canvas").focus({preventScroll:!0}),say("Back to the areas of the run.")}function wirePanel(){
let does={"edit-areas":openEditor,"close-editor":closeEditor,"new-box":startBox,"new-polygon":startPolygon,undo:()=>undo(),
redo:()=>undo(!1),"remove-area":removeItem,"save-areas":()=>saveAreas([state.editor.draft]),"save-all":()=>saveAreas([...drafts.
values()].filter(draft=>draft.list!==draft.start)),discard:discardEdits,"copy-command":()=>copyText(byId("copy-command"),
applyCommand(),"Copying is blocked here: select the text")};for(let[id,action]of Object.entries(does))byId(id).addEventListener(
"click",action);byId("area-type").replaceChildren(...report.areas.types.map(({name,title})=>element("option",{value:name},
title))),byId("area-type").addEventListener("change",setType),byId("area-label").addEventListener("input",typeLabel),byId(
"area-label").addEventListener("change",endLabel),byId("area-label").addEventListener("keydown",event=>{event.key==="Ent\
er"&&!event.isComposing&&chosenItem()&&focusItem(state.editor.chosen)});for(let id of["area-from","area-until"])byId(id).
addEventListener("change",setSpan);listen("draft",showPanel),wireScores(),addEventListener("beforeunload",onLeaving)}var ALPHABETIC={first:"A–Z",last:"Z–A"},nameOf2=index=>report.media[index].name;function compare(a,b,sign){let[none,
other]=[a,b].map(value=>value==null);return none||other?Number(none)-Number(other):sign*(typeof a=="string"?collator.compare(
a,b):a-b)}var byFact=name=>(a,b,sign)=>compare(report.media[a][name],report.media[b][name],sign),FACTS={verdict:{title:"\
Verdict",orders:{first:"Needs attention first",last:"Works first"},compare:byUrgency},brand:{title:"Brand",orders:ALPHABETIC,
compare:byFact("brand")},purpose:{title:"Purpose",orders:ALPHABETIC,compare:byFact("purpose")},platform:{title:"Platform",
orders:ALPHABETIC,compare:byFact("platform")},kind:{title:"Type",orders:{first:"Images first",last:"Videos first"},compare:byFact(
"moves")},name:{title:"Name",orders:ALPHABETIC,compare:byFact("name")}};function byUrgency(a,b,sign){let place=({verdict,
urgency})=>verdict==="unknown"?null:urgency;return compare(place(report.media[a]),place(report.media[b]),sign)}function byScore2(a,b){
let{order}=state.list;return order.startsWith("percentile")?compare(percentileOf(a),percentileOf(b),order==="percentile"?
-1:1):compare(valueOf(a),valueOf(b),firstSign()*(order==="last"?1:-1))}function sortableFacts(){let done=report.media.filter(
medium=>medium.done),differs=name=>name==="name"||name==="verdict"&&judged||new Set(done.map(medium=>medium[name==="kind"?
"moves":name])).size>1;return Object.entries(FACTS).filter(([name])=>differs(name)).map(([name,{title}])=>[name,title])}
var isSortable=name=>Object.hasOwn(FACTS,name)||metricOf.has(name),sortsByScore=()=>metricOf.has(state.list.sort);function ordersOf(name){
if(Object.hasOwn(FACTS,name))return FACTS[name].orders;let orders=metricOf.get(name)?.direction==="middle"?{first:"Highe\
st first",last:"Lowest first"}:{first:"Best first",last:"Worst first"};return benchmarks===null?orders:{...orders,percentile:"\
Highest percentile first","percentile-last":"Lowest percentile first"}}function compareMedia(a,b){let failed=Number(report.
media[b].done)-Number(report.media[a].done);if(failed)return failed;let{sort,order}=state.list;return(sort in FACTS?FACTS[sort].
compare(a,b,order==="last"?-1:1):byScore2(a,b))||(sort in FACTS&&sort!=="verdict"?byUrgency(a,b,1):0)||collator.compare(
nameOf2(a),nameOf2(b))}function isFalling(){let{sort,order}=state.list;return sort in FACTS?order==="last":order.startsWith(
"percentile")?order==="percentile":order==="first"==firstSign()>0}var IN_ADDRESS={look:"look",sort:"sort",order:"order",score:"metric",search:"text",status:"status",kind:"kind",for:"purp\
ose",brand:"brand",platform:"platform",domain:"domain",folder:"folder",area:"area",standing:"against",rules:"rules",why:"\
why",from:"from",to:"to",verdict:"verdict",recurs:"reason"},LIST="media?";function updateList(changes){setList(changes),
keepAddress()}function setList(changes){Object.assign(state.list,changes),metricOf.has(changes.sort)&&(state.list.metric=
changes.sort),notify("filters"),notify("list")}function sortBy(sort,order="first"){updateList({sort,order})}function listAddress(values){
let query2=new URLSearchParams(Object.entries(values).filter(([,value])=>value!=null).map(([key,value])=>[key,`${value}`]));
return`#${LIST}${query2}`}function currentAddress(){let isStated=name=>state.list[name]!==LIST_DEFAULTS[name]&&!(name===
"metric"&&state.list.metric===state.list.sort),changed=Object.entries(IN_ADDRESS).filter(([,name])=>isStated(name)).map(
([key,name])=>[key,state.list[name]]);return changed.length?listAddress(Object.fromEntries(changed)):location.pathname+location.
search}function keepAddress(typed=!1){let address=currentAddress(),isList=location.hash===""||location.hash.startsWith(`\
#${LIST}`);address!==(isList&&location.hash?location.hash:location.pathname+location.search)&&history[typed&&isList&&location.
hash?"replaceState":"pushState"](null,"",address)}var typing=null;function keepTyped(){clearTimeout(typing),typing=setTimeout(
keepAddress,400,!0)}function stateOf(address){let list={...LIST_DEFAULTS};for(let[key,value]of new URLSearchParams(address)){
let name=IN_ADDRESS[key];name===void 0||name==="metric"&&!metricOf.has(value)||name==="sort"&&!isSortable(value)||(name!==
"from"&&name!=="to"?list[name]=value:value!==""&&Number.isFinite(Number(value))&&(list[name]=Number(value)))}["table","g\
allery"].includes(list.look)||(list.look=LIST_DEFAULTS.look);let[fact,last]=list.order.split("-");return["name","kind"].
includes(fact)&&Object.assign(list,{sort:fact,order:last??"first"}),metricOf.has(list.sort)&&(list.metric=list.sort),Object.
hasOwn(ordersOf(list.sort),list.order)||(list.order=LIST_DEFAULTS.order),list}function restoreList(address){setList(stateOf(
address))}var MIN_POINTS=.5,UNKNOWN="unknown",folderOf=path=>path.slice(0,Math.max(0,path.lastIndexOf("/")));function holdsBack([points],metric,medium){
let sign={higher:-1,lower:1,middle:0}[aimFor(metric,medium).direction];return points*sign>MIN_POINTS}function reasonsOf(medium,only=null){
let weaknesses=report.metrics.filter(metric=>medium.scores[metric.name]&&(only===null||metric.name===only)).flatMap(metric=>medium.
scores[metric.name].drivers.filter(driver=>holdsBack(driver,metric,medium)));return new Set(weaknesses.map(([,text])=>text.
split(":")[0]))}function hasReason(medium,wanted){let[words,only=null]=wanted.split(":").reverse();return reasonsOf(medium,
only).has(words)}function fitsArea(medium){let absent=state.list.area.startsWith("no-"),type=absent?state.list.area.slice(
3):state.list.area;return medium.done&&runAreas(medium).some(area=>area.type===type)!==absent}function fitsStanding(index){
let packed=packedRange(report.media[index],state.list.metric);if(state.list.against===UNKNOWN)return!Array.isArray(packed)&&
report.media[index].done;if(!Array.isArray(packed))return!1;let places2=placesIn(packed);return state.list.against===`c${places2.
category}`||state.list.against===positionClass(places2.position)}function fitsRules(index){let results=ruleResults(index);
return state.list.rules==="passed"?results.length>0&&results.every(({status})=>status==="passed"):["failed","warned","sk\
ipped"].includes(state.list.rules)?results.some(({look})=>look===state.list.rules):results.some(({place,status})=>`${place}`===
state.list.rules&&status==="failed")}var FITS={text:medium=>[...medium.paths,medium.name,medium.brand,medium.platform,medium.
objective].some(words=>words?.toLowerCase().includes(state.list.text.toLowerCase())),status:medium=>({done:medium.done,failed:!medium.
done,noted:medium.notes.length>0,unlike:medium.unlike!==null})[state.list.status]??!0,kind:medium=>medium.done&&medium.moves===
(state.list.kind==="videos"),purpose:medium=>state.list.purpose==="none"?!medium.objective:[medium.purpose,medium.objective].
includes(state.list.purpose),brand:medium=>medium.brand===state.list.brand,platform:medium=>medium.platform===state.list.
platform,domain:medium=>medium.domain===state.list.domain,folder:medium=>medium.paths.some(path=>`${folderOf(path)}/`.startsWith(
`${state.list.folder}/`)),area:fitsArea,against:(_,index)=>fitsStanding(index),rules:(_,index)=>fitsRules(index),why:medium=>hasReason(
medium,state.list.why),from:(_,index)=>valueOf(index)!==null&&valueOf(index)>=state.list.from,to:(_,index)=>valueOf(index)!==
null&&valueOf(index)<=state.list.to,verdict:medium=>medium.done&&medium.verdict===state.list.verdict,reason:medium=>medium.
reasons.includes(state.list.reason)},activeFilters=()=>Object.keys(FITS).filter(name=>state.list[name]!==LIST_DEFAULTS[name]),
fitsFilters=index=>activeFilters().every(name=>FITS[name](report.media[index],index));function countFitting(name,value){
let before=state.list[name];state.list[name]=value;let fitting=report.media.filter((medium,index)=>FITS[name](medium,index)).
length;return state.list[name]=before,fitting}var noFilters=()=>Object.fromEntries(Object.keys(FITS).map(name=>[name,LIST_DEFAULTS[name]]));var CONTROLS={text:"text",status:"status",kind:"kind",purpose:"purpose",brand:"brand",platform:"platform",domain:"domain",
folder:"folder",area:"area",against:"against",rules:"rules-filter",why:"why",from:"from",to:"to",verdict:"verdict-filter",
reason:"reason-filter"},BY_SCORE=["against","from","to"],MOST_REASONS=30,MOST_FOLDERS=60,MOST_BRANDS=200;function numberIn(input){
return input.value===""||Number.isNaN(input.valueAsNumber)?null:input.valueAsNumber}function readFilters(){for(let[name,
id]of Object.entries(CONTROLS)){let control=byId(id);control&&(state.list[name]=control.type==="number"?numberIn(control):
control.value.trim())}notify("list")}function writeFilters(){for(let[name,id]of Object.entries(CONTROLS)){let control=byId(
id);control&&(control.value=state.list[name]??"",control.value!==`${state.list[name]??""}`&&(control.append(element("opt\
ion",{value:state.list[name]},linkedWords(name,state.list[name]))),control.value=state.list[name]))}}function linkedWords(name,wanted){
let[words,only]=wanted.split(":").reverse();return name==="purpose"?report.purposes[wanted]??wanted:only===void 0?words:
`${words}, in ${metricOf.get(only)?.title??only}`}function filterWords(name){let control=byId(CONTROLS[name]),chosen=metricOf.
get(state.list.metric)?.title;if(name==="text")return`“${state.list.text}”`;if(name==="from"||name==="to")return`${chosen}\
 ${name} ${state.list[name]}`;let value=control?.selectedOptions?.[0]?.textContent??state.list[name],title=control?.closest(
"label").querySelector("span").textContent??name;return BY_SCORE.includes(name)?`${chosen}, ${title}: ${value}`:`${title}\
: ${value}`}function showActiveFilters(){let names=activeFilters(),folded=names.filter(name=>name!=="text").length;byId(
"filters").textContent=folded?`Filters (${folded})`:"Filters",byId("active-filters").hidden=names.length===0,byId("activ\
e-filters").replaceChildren(...names.flatMap(name=>[filterButton(name)," "]),names.length?clearButton():"")}function filterButton(name){
let button=element("button",{type:"button",className:"active-filter",title:"Remove this filter"},`${filterWords(name)} `,
element("span",{"aria-hidden":"true"},"×"));return button.addEventListener("click",()=>updateList({[name]:LIST_DEFAULTS[name]})),
button}function clearButton(){let button=element("button",{type:"button",className:"quiet"},"Clear");return button.addEventListener(
"click",clearFilters),button}var clearFilters=()=>updateList(noFilters());function filterBy(changes){updateList({...noFilters(),
...changes});let{top}=byId("all-media").getBoundingClientRect();(top<0||top>innerHeight/2)&&byId("all-media").scrollIntoView()}
function addOptions(id,options){byId(id).append(...options.map(([value,words])=>element("option",{value},words)))}var valuesOf=name=>[
...new Set(report.media.map(medium=>medium[name]).filter(Boolean))].sort(collator.compare),plainOptions=name=>valuesOf(name).
map(value=>[value,report.platforms[value]??value.replaceAll("_"," ")]);function purposeOptions(){let stated=Object.entries(
report.purposes).filter(([name])=>report.media.some(medium=>medium.purpose===name));return stated.length?[...stated,["no\
ne","Not stated"]]:[]}function folderOptions(){let folders=[...new Set(report.media.flatMap(medium=>medium.paths.map(folderOf)))].
filter(Boolean),named=folders.length<=MOST_FOLDERS?folders:[...new Set(folders.map(folder=>folder.split("/")[0]))];return named.
length>MOST_FOLDERS?[]:named.sort(collator.compare).map(folder=>[folder,folder])}function weaknessOptions(){let counts=new Map;
for(let medium of report.media)for(let words of reasonsOf(medium))counts.set(words,(counts.get(words)??0)+1);return[...counts].
filter(([,n])=>n<report.media.length).sort(([a,n],[b,m])=>m-n||collator.compare(a,b)).slice(0,MOST_REASONS).map(([words,
n])=>[words,`${words} (${n})`])}function leaveOutIdle(){for(let[name,id]of Object.entries(CONTROLS)){let control=byId(id);
if(control?.tagName!=="SELECT"||BY_SCORE.includes(name)||name==="why")continue;let values=[...control.options].filter(option=>option.
value!==LIST_DEFAULTS[name]),idleCounts=[0,report.media.length,name==="status"?0:report.media.filter(medium=>medium.done).
length],idle=values.filter(option=>idleCounts.includes(countFitting(name,option.value)));for(let option of idle)option.remove();
for(let group of control.querySelectorAll("optgroup"))group.children.length||group.remove();control.closest("label").hidden=
idle.length===values.length}}var prepared=!1;function prepareFilters(){if(prepared)return;prepared=!0,addOptions("purpos\
e",purposeOptions());for(let name of["brand","platform","domain"])addOptions(name,plainOptions(name).slice(0,MOST_BRANDS));
addOptions("folder",folderOptions());let weaknesses=weaknessOptions();addOptions("why",weaknesses),byId("why").closest("\
label").hidden=!weaknesses.length,leaveOutIdle()}function foldFilters(){let open=byId("filter-list").hidden;open&&prepareFilters(),
byId("filter-list").hidden=!open,byId("filters").setAttribute("aria-expanded",String(open)),writeFilters()}function closeMenu(event){
let menu=byId("export");!menu.open||(event.key?event.key!=="Escape":menu.contains(event.target))||(menu.open=!1,event.key&&
menu.querySelector("summary").focus())}function wireFilters(){byId("toolbar").addEventListener("submit",event=>event.preventDefault());
for(let id of Object.values(CONTROLS)){let control=byId(id);if(control===null)continue;let typed=control.tagName==="INPU\
T";control.addEventListener(typed?"input":"change",()=>{readFilters(),(typed?keepTyped:keepAddress)()})}byId("sort").addEventListener(
"change",()=>sortBy(byId("sort").value)),byId("order").addEventListener("change",()=>sortBy(state.list.sort,byId("order").
value)),byId("metric").addEventListener("change",()=>updateList({metric:byId("metric").value})),byId("filters").addEventListener(
"click",foldFilters),byId("reset").addEventListener("click",clearFilters),addEventListener("click",closeMenu),addEventListener(
"keydown",closeMenu),listen("filters",writeFilters),listen("list",showActiveFilters)}function verdictTag2(verdict){let sign=element("span",{"aria-hidden":"true"},`${report.words.verdict_signs[verdict]} `);
return element("span",{className:`verdict-tag ${verdict}`},sign,report.words.verdicts[verdict])}var rows=queryAll("#media tbody tr"),laterRows=document.getElementById("later-rows")?.textContent.split("<!--row-->").slice(
1,-1)??[],firstRows=rows.length;function rowOf(index){if(!rows[index]){let maker=document.createElement("template");maker.
innerHTML=laterRows[index-firstRows],rows[index]=maker.content.querySelector("tr")}return rows[index]}function thumbOf(index){
return rows[index]?rows[index].querySelector("img")?.src??null:/<img src="([^"]+)"/.exec(laterRows[index-firstRows])?.[1]??
null}var cards=[];function playMark(medium){return medium.moves?element("span",{className:"play-mark"},element("span",{className:"\
hidden"},`${medium.kind}, `),medium.duration_s<1?`${medium.duration_s.toFixed(1)} s`:clock(medium.duration_s,0)):null}function badgeOf(className,words){
return element("span",{className:`badge ${className}`},words)}function badgesOf(medium,index){let results=ruleResults(index),
badges=["failed","warned"].map(look=>({look,n:results.filter(result=>result.look===look).length})).filter(({n})=>n>0).map(
({look,n})=>badgeOf(`rule-${look}`,`${report.words.rule_signs[look]} ${n} ${look==="failed"?`${n===1?"rule":"rules"} fai\
led`:n===1?"warning":"warnings"}`));return results.length&&results.every(({status})=>status==="passed")&&badges.push(badgeOf(
"rule-passed",`✓ ${results.length} ${results.length===1?"rule":"rules"} passed`)),medium.unlike!==null&&badges.push(badgeOf(
"noted","unusual")),medium.share_read!==null&&medium.share_read<1&&badges.push(badgeOf("noted",`${Math.floor(100*medium.
share_read)} % read`)),medium.paths.length>1&&badges.push(badgeOf("",`${medium.paths.length} copies`)),medium.notes.length&&
badges.push(badgeOf("noted",`${medium.notes.length} ${medium.notes.length===1?"note":"notes"}`)),badges}function factsOf(medium){
let capitalized=words=>words?.replace(/^\p{Ll}/u,letter=>letter.toUpperCase());return[medium.brand,capitalized(report.purposes[medium.
purpose]),report.platforms[medium.platform]].filter(Boolean).join(" · ")}function findingOf({summary}){if(!summary)return null;
let[problem,pass,suggestion]=[summary.bad[0]?.text,summary.good[0]?.text,summary.to_try[0]],doubt=(summary.open.find(reason=>reason.
required)??summary.open[0])?.text,orders={open:["open","bad","todo","good"],works:["todo","good","open","bad"]},sentences={
bad:problem,todo:suggestion,good:pass,open:doubt},kind=(orders[summary.verdict]??["bad","todo","good","open"]).find(name=>sentences[name]),
text=kind&&sentences[kind];return text?element("span",{className:`gallery-finding ${kind}`,title:text},unbroken(withoutLimit(
text))):null}function withoutLimit(text){return text.replace(/ \([^()]*\)\.$/,".")}function makeCard(index){let medium=report.
media[index],source=thumbOf(index),image=source?element("img",{className:"small",src:source,alt:"",decoding:"async",loading:"\
lazy"}):element("span",{className:"blank","aria-hidden":"true"}),frame=element("span",{className:"frame"},image,playMark(
medium)),name=hasDetail(index)?element("a",{href:`#${medium.id}`},medium.name):medium.name,failed=medium.done?null:element(
"span",{className:"error"},element("code",{},medium.error_code),` ${medium.error_message}`),verdict=medium.done&&judged?
verdictTag2(medium.verdict):null,facts=factsOf(medium),parts=[element("span",{className:"gallery-badges"},...[verdict,...badgesOf(
medium,index)].filter(Boolean).flatMap(badge=>[badge," "])),element("span",{className:"gallery-name",title:medium.paths.
join(", ")},name),facts?element("span",{className:"gallery-facts",title:facts},facts):null,element("span",{className:"ga\
llery-score"}),findingOf(medium),failed],card2=element("li",{className:"gallery-card"},frame,element("div",{className:"g\
allery-text"},...parts));return card2.dataset.i=`${index}`,card2}function cardOf(index){return cards[index]??=makeCard(index),
cards[index]}function cardScore(index){let[metric,score,range]=[metricOf.get(state.list.sort),scoreOf(index),scoreRange(
report.media[index],state.list.sort)];return score?.value==null?[element("span",{className:"none",title:score?.reason??"\
not computed"},`${metric.title}: none`)]:[element("span",{className:"gallery-value"},`${metric.title} `,element("b",{},formatValue(
score.value,metric))," ",scorePlusMinus(score.value,metric,report.media[index]))," ",targetMark(range)].filter(Boolean)}
function updateCard(index){let card2=cardOf(index),frame=card2.querySelector(".frame"),scored2=report.media[index].done&&
sortsByScore();card2.querySelector(".gallery-score").replaceChildren(...scored2?cardScore(index):[]),frame.querySelector(
".rank")?.remove();let standing2=scored2?scoreOf(index)?.standing:null;return standing2&&frame.append(element("span",{className:"\
rank",title:rankOf(standing2,report.media[index])??""},element("span",{className:"hidden"},"rank "),`${standing2.rank}`)),
hasDetail(index)&&showPickBox(frame,index),state.cardHeat?nearby.observe(card2):card2.classList.remove("heated"),card2}function showHeat(card2){
let medium=report.media[card2.dataset.i];medium.maps.heat&&(card2.querySelector(".heat")||card2.querySelector(".frame").
children[0].after(element("img",{className:"heat",alt:"",decoding:"async",src:imageOf(medium,"heat"),style:`--ratio: ${medium.
width/medium.height}`})),card2.classList.add("heated"))}var nearby=new IntersectionObserver(entries=>{for(let{target,isIntersecting}of entries)
isIntersecting&&(nearby.unobserve(target),showHeat(target))},{rootMargin:"300px"});function toggleCardHeat(){state.cardHeat=
!state.cardHeat,storeLocally("card-heat",state.cardHeat?"on":"off"),byId("card-heat").setAttribute("aria-pressed",String(
state.cardHeat)),nearby.disconnect();for(let card2 of byId("gallery").children)state.cardHeat?nearby.observe(card2):card2.
classList.remove("heated")}function previewHeat(event){let card2=event.target.closest(".gallery-card");!card2||state.cardHeat||
card2.contains(event.relatedTarget)||(["pointerover","focusin"].includes(event.type)?showHeat(card2):card2.classList.remove(
"heated"))}function openCard(event){if(event.target.closest(".pick, a"))return;let link=event.target.closest(".gallery-c\
ard")?.querySelector("a");link&&!getSelection().toString()&&link.click()}function wireCards(){let gallery=byId("gallery");
gallery.addEventListener("click",openCard);for(let kind of["pointerover","pointerout","focusin","focusout"])gallery.addEventListener(
kind,previewHeat);byId("card-heat").addEventListener("click",toggleCardHeat),byId("card-heat").setAttribute("aria-presse\
d",String(state.cardHeat)),byId("card-heat").hidden=!report.media.some(medium=>medium.maps.heat)}function runsAsFormula(text){let cell=text.replace(/^'+/,""),[letter=""]=cell.match(/[^\p{C}\p{Z}\u115f\u1160\u2800\u3164]/u)??
[];return/^[\t\r\n]/.test(cell)||/^[=+\-@\u2212]/.test(letter.normalize("NFKC"))}function csvCell(value){if(value==null)
return"";if(typeof value=="number")return String(value);let safe=runsAsFormula(value)?`'${value}`:value;return/[",\n\r]/.
test(safe)?`"${safe.replaceAll('"','""')}"`:safe}var TOP_DRIVERS=3,FACTS2=["name","path","medium_id","status","error_code","kind","width","height","duration_s","verdict",
"brand","purpose","platform","objective","domain","domain_probability","notes","rules_failed"];function factsOf2(medium,index){
let failed=ruleResults(index).filter(({status})=>status==="failed").map(({rule})=>rule.name),notes=medium.notes.map(({code})=>code);
return{medium_id:medium.id,status:medium.done?"done":"failed",error_code:medium.error_code,kind:medium.kind,width:medium.
width,height:medium.height,duration_s:medium.duration_s,verdict:medium.done?medium.verdict:null,brand:medium.brand,purpose:medium.
purpose,platform:medium.platform,objective:medium.objective,domain:medium.domain,domain_probability:medium.domain_probability,
notes,rules_failed:failed}}function csvText(){let names=report.metrics.map(metric=>metric.name),lines=[[...FACTS2,...names.
flatMap(name=>[name,`${name}_repeatability`,`${name}_lo`,`${name}_hi`,...standingHeads(name)])]];for(let index of state.
shown){let medium=report.media[index],facts=factsOf2(medium,index),scores=names.flatMap(name=>{let{value,lo,hi}=medium.scores[name]??
{};return[value,repeatability(name,value,medium),lo,hi,...standingCells(medium,name)]}),rest=FACTS2.slice(2).map(name=>Array.
isArray(facts[name])?facts[name].join("; "):facts[name]);for(let path of medium.paths)lines.push([medium.name,path,...rest,
...scores])}return lines.map(line=>`${line.map(csvCell).join(",")}\r
`).join("")}function scoreRecord(medium,name){let{value,lo,hi,basis,time,reason,standing:standing2,drivers}=medium.scores[name],
[percentile=null,position=null,category=null]=standingCells(medium,name),moved=drivers.slice(0,TOP_DRIVERS).map(([points,
text])=>({points,text}));return{value,repeatability:repeatability(name,value,medium),lo,hi,basis,time,reason,rank:standing2?.
rank??null,of:standing2?.of??null,percentile,position,category,drivers:moved}}function areaRecords2(medium){let[seen,share]=[
"percentage_seen","attention"].map(areaMetric),value=(area,metric)=>metric<0?null:areaValue(area,metric,"total");return runAreas(
medium).map(area=>({aoi_id:area.id,type:area.type,label:area.label??null,box:area.box,percentage_seen:value(area,seen),attention:value(
area,share)}))}function mediumRecord(index){let medium=report.media[index],scores=Object.fromEntries(report.metrics.filter(
({name})=>medium.scores[name]).map(({name})=>[name,scoreRecord(medium,name)]));return{name:medium.name,paths:medium.paths,
...factsOf2(medium,index),scores,areas:areaRecords2(medium)}}function jsonText(){let filters=Object.fromEntries(Object.entries(
IN_ADDRESS).filter(([key,name])=>key!=="look"&&state.list[name]!==LIST_DEFAULTS[name]).map(([key,name])=>[key,state.list[name]])),
facts={run:query("h1").textContent,shown:state.shown.length,of:report.part_of??report.media.length,filters};return`${JSON.
stringify({...facts,media:state.shown.map(mediumRecord)},null,1)}
`}var FORMATS={csv:{text:csvText,type:"text/csv;charset=utf-8",mark:"\uFEFF"},json:{text:jsonText,type:"application/json",
mark:""}};function downloadExport(){let{text,type,mark}=FORMATS[byId("format").value];downloadFile(`media.${byId("format").
value}`,[mark,text()],type)}function wireExport(){byId("copy").addEventListener("click",()=>copyText(byId("copy"),FORMATS[byId(
"format").value].text(),"Copying is blocked here: use Download")),byId("download").addEventListener("click",downloadExport)}var MANY=60,AT_ONCE=40,RESTS_ON_GAZE=new Set(["memory"]);function updateRow(index){let row=rowOf(index);for(let cell of row.
querySelectorAll(".score"))cell.classList.toggle("current",cell.dataset.metric===state.list.sort);return hasDetail(index)&&
showPickBox(row.querySelector(".picture"),index),row}var inGallery=()=>state.list.look==="gallery";function showList(){state.
shown=report.media.map((_,index)=>index).filter(fitsFilters).sort(compareMedia),byId("gallery").hidden=!inGallery()||state.
shown.length===0,byId("media").hidden=inGallery(),byId("media").classList.toggle("empty",state.shown.length===0),byId("a\
ll-media").classList.toggle("many",state.shown.length>MANY),inGallery()?layOut3(byId("gallery"),updateCard):layOut3(query(
"#media tbody"),updateRow),byId("shown").textContent=shownWords(),byId("nothing").hidden=state.shown.length>0;for(let button of queryAll(
"[data-look]"))button.setAttribute("aria-pressed",String(button.dataset.look===state.list.look))}function layOut3(host,update){
clearTimeout(state.laying),host.replaceChildren(...state.shown.slice(0,report.rows_at_once).map(update));let more=from=>{
state.laying=null,!(from>=state.shown.length)&&(host.append(...state.shown.slice(from,from+AT_ONCE).map(update)),state.laying=
setTimeout(more,0,from+AT_ONCE))};more(report.rows_at_once)}function layOutRest(){if(state.laying===null)return;clearTimeout(
state.laying),state.laying=null;let[host,update]=inGallery()?[byId("gallery"),updateCard]:[query("#media tbody"),updateRow];
host.append(...state.shown.slice(host.children.length).map(update))}function shownWords(){let all=report.media.length;return report.
part_of?`${state.shown.length} of the ${all} on this page, of ${report.part_of.toLocaleString("en")} in the run`:state.shown.
length===all?countWords(all):`${state.shown.length} of ${countWords(all)}`}function showSorting(){for(let head of queryAll(
"#media thead th"))head.querySelector("button")?.dataset.sort===state.list.sort?head.setAttribute("aria-sort",isFalling()?
"descending":"ascending"):head.removeAttribute("aria-sort");for(let card2 of queryAll("#cards .card"))card2.setAttribute(
"aria-pressed",String(card2.dataset.metric===state.list.sort));byId("sort").value=state.list.sort,byId("order").replaceChildren(
...Object.entries(ordersOf(state.list.sort)).map(([value,words])=>element("option",{value},words))),byId("order").value=
state.list.order,byId("metric").value=state.list.metric,byId("sort-note").replaceChildren(...sortsByScore()?scoreNote(metricOf.
get(state.list.sort)):[])}function scoreNote(metric){let words=[metric.caption,withFullStop(report.words.directions[metric.
direction].replace(/^./,letter=>letter.toUpperCase()))];metric.basis==="proxy"&&words.push("An estimate: a hint, not evi\
dence."),metric.level_with_best>0&&words.push(tieWords(metric.level_with_best));let done=report.media.filter(medium=>medium.
done);return RESTS_ON_GAZE.has(metric.name)&&new Set(done.map(medium=>medium.moves)).size>1&&words.push("Videos tend to \
score higher than images here: compare each type with its own."),[`${words.join(" ")} `,element("a",{href:`#about-${metric.
name}`},`What ${metric.title} means`)]}function tieWords(n){return n===1?"The first two differ by less than their ±: tre\
at them as tied.":`${countWords(n)} differ from the first by less than their ±: treat them as tied.`}function linkOf(index){
return(inGallery()?cardOf(index):rowOf(index)).querySelector("a")}function openRow(event){let key=event.target.closest("\
[data-sort]")?.dataset.sort;if(key)return sortBy(key,key===state.list.sort&&state.list.order==="first"?"last":"first");if(event.
target.closest(".pick"))return;let link=event.target.closest("tbody tr")?.querySelector("th a");link&&event.target!==link&&
!getSelection().toString()&&link.click()}function describeCell(event){let cell=event.target.closest("td.score");if(!cell||
cell.title)return;let[medium,metric]=[report.media[cell.parentElement.dataset.i],metricOf.get(cell.dataset.metric)],[score,
range]=[medium.scores[metric.name],scoreRange(medium,metric.name)],moves=scorePlusMinus(score?.value,metric,medium).textContent;
score?.value==null?cell.title=withFullStop(score?.reason??"Not computed"):cell.title=[`${metric.title}: ${formatValue(score.
value,metric)}${moves&&` ${moves}`}.`,rankOf(score.standing,medium),range?.sentence??range?.reason].filter(Boolean).join(
" ")}function wireList(){byId("sort").prepend(...sortableFacts().map(([value,words])=>element("option",{value},words))),
byId("media").addEventListener("click",openRow),byId("media").addEventListener("pointerover",describeCell),byId("cards").
addEventListener("click",event=>{let card2=event.target.closest(".card");card2&&sortBy(card2.dataset.metric)});for(let button of queryAll(
"[data-look]"))button.addEventListener("click",()=>updateList({look:button.dataset.look}));listen("list",showList),listen(
"list",showSorting),addEventListener("beforeprint",layOutRest)}var FEW_SEEN=6,seenType=null,allSeen=!1;function seenBar(area,medium){let i=areaMetric("percentage_seen"),score=areaScore(
area,i,"total");if(!Array.isArray(score))return element("td",{},element("span",{className:"none",title:score??""},"n/a"));
let[value]=score,moves=areaPlusMinus(value,areaMetrics[i],medium);return element("td",{className:"seen-score"},element("\
b",{},areaDigits(value,areaMetrics[i]))," ",element("span",{className:"plus-minus"},`${moves} %`),areaChip(area,i,"total",
!0)??"",scoreBar(value,{...areaMetrics[i],low:0,high:100},medium))}function seenCell(area,name){let i=areaMetric(name),value=i<
0?null:areaValue(area,i,"total");return element("td",{className:"seen-time"},value===null?"–":`${areaDigits(value,areaMetrics[i])}\
 s`)}function seenRow({index,area}){let medium=report.media[index],source=thumbOf(index),image=element("span",{className:"\
picture"},source?element("img",{src:source,alt:""}):element("span",{className:"blank"})),name=element("th",{scope:"row"},
element("a",{href:`#${medium.id}`},medium.name),element("span",{className:"sub"},area.label?areaName(area):areaTitle.get(
area.type))),cells=[element("td",{className:"thumb"},image),name],row=element("tr",{},...cells,seenBar(area,medium),seenCell(
area,"time_spent"),seenCell(area,"first_seen_s"));return row.addEventListener("click",event=>{event.target.closest("a")||
(location.hash=medium.id)}),row}function unseenNote(indices){if(!indices.length)return[];let links=indices.flatMap((index,i)=>[
i?", ":"",element("a",{href:`#${report.media[index].id}`},report.media[index].name)]),title=`No ${areaTitle.get(seenType).
toLowerCase()} was found in ${countWords(indices.length)}${report.part_of?" on this page":""}`;return indices.length<=8?
[element("p",{className:"sub"},`${title}: `,...links,".")]:[element("details",{},element("summary",{},title),element("p",
{className:"sub"},...links,"."))]}function showSeen(){let seen=areaMetric("percentage_seen"),mainAreas=report.media.map(
(_,index)=>index).filter(index=>report.media[index].done&&report.media[index].id).map(index=>({index,area:mainArea(report.
media[index],seenType)})),ranked=mainAreas.filter(({area})=>area);ranked.sort((a,b)=>(areaValue(b.area,seen,"total")??-1)-
(areaValue(a.area,seen,"total")??-1));let many=ranked.length>FEW_SEEN+1;query("#seen tbody").replaceChildren(...ranked.slice(
0,many&&!allSeen?FEW_SEEN:ranked.length).map(seenRow)),byId("all-seen").hidden=!many,byId("all-seen").textContent=allSeen?
"Show fewer":`Show all ${ranked.length}`,byId("unseen").replaceChildren(...unseenNote(mainAreas.filter(({area})=>!area).
map(({index})=>index))),byId("seen-note").textContent=seenNote();for(let card2 of byId("type-cards").children)card2.setAttribute(
"aria-pressed",String(card2.dataset.type===seenType))}function seenNote(){let metric=areaMetrics[areaMetric("percentage_\
seen")],title=areaTitle.get(seenType).toLowerCase();return`${report.part_of?"Of those on this page. ":""}Ranked by ${title}\
 seen. ${metric?.caption??""} Of several areas of a type, the one that draws most attention counts. What differs by less\
 than the ± is tied.`}function chooseSeen(type){[seenType,allSeen]=[type,!1],showSeen()}function wireAreaRanking(){let cards2=byId(
"type-cards");cards2&&(cards2.addEventListener("click",event=>{let card2=event.target.closest(".type-card");card2&&chooseSeen(
card2.dataset.type)}),byId("all-seen").addEventListener("click",()=>{allSeen=!allSeen,showSeen()}),chooseSeen(cards2.querySelector(
".type-card").dataset.type))}function filterStanding(metric,wanted){let again=state.list.metric===metric&&state.list.against===wanted;updateList({sort:metric,
order:"first",against:again?LIST_DEFAULTS.against:wanted}),again||byId("all-media").scrollIntoView()}function showCategoryCounts(){
for(let button of queryAll("#category-counts button")){let{category,position}=button.dataset,wanted=category===void 0?position:
`c${category}`,isCurrent=button.closest(".category-chart").dataset.metric===state.list.metric;button.setAttribute("aria-\
pressed",String(isCurrent&&state.list.against===wanted))}}function wireCategories(){benchmarks!==null&&(listen("list",showCategoryCounts),
byId("category-counts")?.addEventListener("click",event=>{let button=event.target.closest("button");if(!button)return;let{
category,position}=button.dataset;filterStanding(button.closest(".category-chart").dataset.metric,category===void 0?position:
`c${category}`)}))}function showRuleCounts(){for(let button of queryAll("#rule-counts .rule-go"))button.setAttribute("aria-pressed",String(
button.closest("tr").dataset.rule===state.list.rules))}function failuresText(){let lines=[];for(let index of state.shown){
let failed=ruleResults(index).filter(({status})=>status==="failed");failed.length&&lines.push(report.media[index].paths[0],
...failed.map(({rule,message,look})=>`  ${look==="warned"?"warning: ":""}${rule.name}: ${message}`),"")}return lines.length?
lines.join(`
`):`The files shown fail no rule.
`}function filterRule(place){updateList({rules:state.list.rules===place?"all":place}),state.list.rules===place&&byId("al\
l-media").scrollIntoView()}function wireRules(){byId("copy-failures")?.addEventListener("click",()=>copyText(byId("copy-\
failures"),failuresText(),"Copying is blocked here")),listen("list",showRuleCounts),byId("rule-counts")?.addEventListener(
"click",event=>{let row=event.target.closest("tbody tr");row&&!getSelection().toString()&&filterRule(row.dataset.rule)})}var sectionLinks=queryAll("#sections a");function sectionOnScreen(){let line=byId("sections").getBoundingClientRect().bottom+
innerHeight/4,passed=sectionLinks.filter(link=>byId(link.hash.slice(1)).getBoundingClientRect().top<=line),addressed=sectionLinks.
find(link=>link.hash===location.hash),atEnd=scrollY+innerHeight>=document.documentElement.scrollHeight-2;return addressed&&
atEnd&&byId(addressed.hash.slice(1)).getBoundingClientRect().top<innerHeight?addressed:passed.at(-1)??sectionLinks[0]}function markSection(){
if(byId("overview").hidden)return;let here=sectionOnScreen();if(here.ariaCurrent)return;for(let link of sectionLinks)link.
ariaCurrent=link===here?"true":null;let bar=byId("sections");bar.scrollTo({left:here.offsetLeft-(bar.clientWidth-here.offsetWidth)/
2})}function unfold(){let place=location.hash&&byId(location.hash.slice(1));if(!place||!byId("overview").contains(place))
return;let around=[place.querySelector(":scope > details.fold")];for(let fold=place.closest("details");fold;fold=fold.parentElement.
closest("details"))around.push(fold);let folded=around.filter(fold=>fold&&!fold.open);for(let fold of folded)fold.open=!0;
folded.length&&place.scrollIntoView()}function wireSections(){let waiting=!1;addEventListener("scroll",()=>{waiting||requestAnimationFrame(
()=>{waiting=!1,markSection()}),waiting=!0},{passive:!0}),addEventListener("hashchange",()=>{unfold(),markSection()}),addEventListener(
"beforeprint",()=>{for(let folded of queryAll("details:is(.fold, .guide-fold, .sureness)"))folded.open=!0}),unfold(),markSection()}function showChosen2(){for(let button of byId("summary").querySelectorAll("button[aria-pressed]")){let{verdict,reason}=button.
dataset;button.setAttribute("aria-pressed",String(verdict?state.list.verdict===verdict:state.list.reason===reason))}}function wireSummary(){
byId("summary").addEventListener("click",event=>{let{verdict,reason}=event.target.closest("button")?.dataset??{};verdict&&
filterBy({verdict:state.list.verdict===verdict?"all":verdict}),reason&&filterBy({reason:state.list.reason===reason?"all":
reason})}),listen("list",showChosen2)}function erf(x){let size=Math.abs(x);if(size>6)return Math.sign(x);if(size>2.5)return Math.sign(x)*(1-Math.exp(-size*size)/
Math.sqrt(Math.PI)*tailFraction(size));let[term,sum2]=[size,size];for(let n=1;Math.abs(term)>1e-16;n+=1)term*=-size*size/
n,sum2+=term/(2*n+1);return Math.sign(x)*2*sum2/Math.sqrt(Math.PI)}function tailFraction(x){let below=x;for(let n=80;n>0;n-=
1)below=x+n/2/below;return 1/below}var normalBelow=z=>(1+erf(z/Math.SQRT2))/2;function subtract(a,b,{z90,factor=1,widest=1/0,
fromMiddles=!1}){let value=a.value-b.value;if(a.lo===null||a.hi===null||b.lo===null||b.hi===null)return{value,lo:null,hi:null,
probability:null,p:null};let expectedA=fromMiddles?(a.lo+a.hi)/2:a.value,expectedB=fromMiddles?(b.lo+b.hi)/2:b.value,centre=expectedA-
expectedB,below=factor*Math.hypot(Math.max(0,expectedA-a.lo),Math.max(0,b.hi-expectedB)),above=factor*Math.hypot(Math.max(
0,a.hi-expectedA),Math.max(0,expectedB-b.lo)),arm=centre>0?below:above,probability=centre*value<=0?.5:arm===0?+(centre>0):
normalBelow(z90*centre/arm),[lo,hi]=[Math.max(-widest,Math.min(value,centre-below)),Math.min(widest,Math.max(value,centre+
above))];return{value,lo,hi,probability,p:Math.min(1,2*Math.min(probability,1-probability))}}function oddsWords(probability){
return`${Math.min(99,Math.floor(100*probability+1e-9))} in 100`}function leanWords(probability,direction,lean){let odds=Math.
max(probability,1-probability);if(odds<lean)return"a coin toss";let[higher,lower]=probability>.5?["A","B"]:["B","A"];return direction===
"middle"?`${higher} is probably higher, ${oddsWords(odds)}`:`leans to ${direction==="lower"?`${lower}, which is probably\
 lower`:higher}, ${oddsWords(odds)}`}function holm(p){let corrected=p.map(()=>0),most=0;return p.map((_,i)=>i).sort((i,j)=>p[i]-
p[j]).forEach((i,done)=>{most=Math.max(most,Math.min(1,(p.length-done)*p[i])),corrected[i]=most}),corrected}function correctFamilies(differences,alpha){
return[!0,!1].map(headline=>{let family=differences.filter(difference=>difference.p!==null&&difference.headline===headline),
corrected=holm(family.map(({p})=>p));return family.forEach((difference,i)=>{difference.proven=corrected[i]<alpha}),family.
length})}var LETTERS="ABCD",SIDE_DRIVERS=3,WIDEST={score:100,"%":100};function sidesOf(address){return[...new Set(address.slice(SIDES.
length).split(/,|%2C/i))].map(id=>report.media.findIndex(medium=>medium.done&&medium.id===id)).filter(index=>index>=0).slice(
0,MOST_CHOSEN)}var sideMedia=()=>state.sides.map(index=>report.media[index]);function showSides(indices){state.sides=indices,
byId("sides-title").textContent=`${countWords(state.sides.length)} side by side`;let[scores,areas]=[scoreRows(),areaRowsOf()],
[headlines,detail]=correctFamilies([...scores,...areas].flatMap(({differences})=>differences),report.statistics.alpha);byId(
"sides-note").textContent=sidesWords(headlines,detail),byId("sides-table").style.setProperty("--sides",state.sides.length),
byId("sides-table").querySelector("thead").replaceChildren(headRow());for(let body of byId("sides-table").querySelectorAll(
"tbody"))body.remove();byId("sides-table").append(...[rowGroup("Scores",scores.map(sideRow)),rowGroup("Areas: seen by",areas.
map(sideRow)),foldedGroup("Main drivers",driverRows()),rowGroup("Details",factRows())].filter(Boolean)),showSideMaps()}function sidesPurpose(){
let[purpose,...others]=new Set(sideMedia().map(medium=>medium.purpose??"any"));return others.length?"any":purpose}function headlineScores(){
let names=new Set(report.metrics.map(({name})=>name));return report.headlines.scores[sidesPurpose()].map(name=>names.has(
name)?name:report.headlines.stands_in[name]??name)}function sidesWords(headlines,detail){if(!headlines&&!detail)return"T\
his run was made without intervals: whether people would agree is not known.";let families=[[headlines,"headline compari\
sons"],[detail,"detail comparisons"]].filter(([n])=>n).map(([n,what])=>`${n} ${what}`),leans=state.sides.length===2?" Wh\
ere it is not, the likelier side is given: people would agree in so many of 100 such pairs.":" Where it is not, treat th\
e files as tied.";return`A difference is stated where it is very unlikely to be chance (90 % level, corrected for ${families.
join(" and ")} on this page).${leans}`}function scoreRows(){let headlines=headlineScores();return report.metrics.filter(
({name})=>sideMedia().some(medium=>medium.scores[name]?.value!=null)).map(metric=>{let scores=sideMedia().map(medium=>medium.
scores[metric.name]??null),title=[element("a",{href:`#about-${metric.name}`},metric.title)," ",proxyBadge(metric.name)],
show=value=>formatValue(value,metric),chips=sideMedia().map(medium=>scoreRange(medium,metric.name));return{title,scores:scores.
map((score,i)=>score??{value:null,reason:sideMedia()[i].moves?"not computed":"images have none"}),chips,metric,show,moves:(value,medium)=>scorePlusMinus(
value,metric,medium),unit:["score","count"].includes(metric.unit)?"":` ${metric.unit}`,direction:aimFor(metric,{purpose:sidesPurpose()}).
direction,differences:pairsOf(scores,{widest:WIDEST[metric.unit],fromMiddles:metric.unit==="score",headline:headlines.includes(
metric.name)})}})}function areaRowsOf(){let i=areaMetric("percentage_seen");return(i<0?[]:report.areas.types.filter(({name})=>sideMedia().
some(medium=>medium.areas.some(area=>area.type===name)))).map(({name,title})=>{let scores=sideMedia().map(medium=>seenScore(
mainArea(medium,name),i)),metric={...areaMetrics[i],low:0,high:100};return{title:[title],scores,chips:[],metric,show:value=>areaDigits(
value,metric),moves:(value,medium)=>element("span",{className:"plus-minus"},areaPlusMinus(value,metric,medium)),unit:" %",
direction:"higher",differences:pairsOf(scores,{factor:report.statistics.widened.percentage_seen,widest:WIDEST[metric.unit],
headline:report.headlines.areas[sidesPurpose()].includes(name)})}})}function seenScore(area,metric){if(!area)return{value:null,
reason:"none found"};let score=areaScore(area,metric,"total");if(!Array.isArray(score))return{value:null,reason:score??"\
not computed"};let[value,lo=null,hi=null]=score;return{value,lo,hi}}function pairsOf(scores,{factor=1,widest,fromMiddles=!1,
headline}){return scores.flatMap((_,i)=>scores.slice(i+1).map((__,j)=>[i,i+1+j])).filter(pair=>pair.every(i=>scores[i]?.
value!=null)).map(([i,j])=>({...subtract(scores[i],scores[j],{z90:report.statistics.z90,factor,widest,fromMiddles}),pair:[
i,j],headline}))}function sideRow(row){let cells=row.scores.map((score,i)=>scoreCell2(row,score,row.chips[i],sideMedia()[i]));
return element("tr",{},element("th",{scope:"row"},...row.title.filter(Boolean)),...cells,element("td",{className:"signif\
icance"},...significanceWords(row)))}function scoreCell2({metric,show,unit,moves},score,range,medium){return score?.value==
null?element("td",{},element("span",{className:"none"},score?.reason??"not computed")):element("td",{},element("b",{},show(
score.value))," ",moves(score.value,medium),unit,scoreBar(score.value,metric,medium),range?.category===void 0?null:categoryChip(
range))}function significanceWords({differences,show,unit,direction}){if(!differences.length)return["–"];if(differences.
every(({p})=>p===null))return["–"];if(state.sides.length===2)return differenceWords(differences[0],show,unit,direction);
let proven=differences.filter(difference=>difference.proven).map(({value,pair})=>value>0?pair:[...pair].reverse());return proven.
length?[element("strong",{},proven.map(([high,low])=>`${LETTERS[high]} > ${LETTERS[low]}`).join(", ")),element("span",{className:"\
sub"},proven.length<differences.length?"others tied":"")]:["tied"]}function differenceWords(difference,show,unit,direction){
let{value,proven}=difference,sign=number=>`${number<0?"−":"+"}${show(Math.abs(number))}`,words=proven?`${value>0?"A":"\
B"} is higher`:leanWords(difference.probability,direction,report.statistics.lean);return[element("strong",{},words),element(
"span",{className:"sub"},`A ${"−"} B ${sign(value)}${unit}`)]}function driverRows(){let scale=Math.max(...sideMedia().
map(driverScale));return report.metrics.filter(({name})=>sideMedia().some(medium=>medium.scores[name]?.drivers.length)).
map(metric=>{let cells=sideMedia().map(medium=>{let drivers=medium.scores[metric.name]?.drivers.slice(0,SIDE_DRIVERS)??[];
return element("td",{},drivers.length?driverList(metric,{drivers},scale):"–")});return element("tr",{},element("th",{scope:"\
row"},metric.title),...cells,element("td"))})}function factRows(){return[["Verdict",medium=>judged?report.words.verdicts[medium.
verdict]:null],["Objective",medium=>medium.objective],["Rules failed",(_,index)=>ruleResults(index).filter(({status})=>status===
"failed").map(({rule})=>rule.name).join("; ")],["Notes",medium=>medium.notes.map(({message})=>message).join(" ")],["Size",
medium=>[medium.moves?clock(medium.duration_s):null,`${medium.width} × ${medium.height} px`].filter(Boolean).join(", ")]].
map(([title,words])=>({title,cells:state.sides.map(index=>words(report.media[index],index))})).filter(({cells})=>cells.some(
Boolean)).map(({title,cells})=>element("tr",{},element("th",{scope:"row"},title),...cells.map(words=>element("td",{},words||
"–")),element("td")))}function rowGroup(title,made){if(!made.length)return null;let head=element("th",{scope:"rowgroup",
colSpan:state.sides.length+2},element("span",{},title));return element("tbody",{},element("tr",{className:"group"},head),
...made)}function foldedGroup(title,made){let body=rowGroup(title,made);if(body===null)return null;let button=element("b\
utton",{type:"button",className:"group-fold","aria-expanded":"false"},title);button.addEventListener("click",()=>{let open=button.
getAttribute("aria-expanded")==="false";button.setAttribute("aria-expanded",String(open));for(let row of made)row.hidden=
!open}),body.querySelector(".group span").replaceChildren(button);for(let row of made)row.hidden=!0;return body}function headRow(){
let cells=state.sides.map((index,i)=>{let medium=report.media[index],out=element("button",{type:"button",className:"quie\
t","aria-label":`Remove ${medium.name}`,title:"Remove",hidden:state.sides.length<=2},"×");out.addEventListener("click",
()=>{location.hash=sidesAddress(state.sides.filter(other=>other!==index))});let name=element("span",{className:"side-nam\
e"},element("b",{className:"letter"},LETTERS[i])," ",element("a",{href:`#${medium.id}`},medium.name),out);return element(
"th",{scope:"col"},element("span",{className:"frame"},element("img",{alt:""})),name)}),last=state.sides.length===2?"Whic\
h is higher":"Which are higher";return element("tr",{},element("td"),...cells,element("th",{scope:"col",className:"signi\
ficance"},last))}function showSideMaps(){let names=[...new Set(sideMedia().flatMap(medium=>Object.keys(medium.maps)))].filter(
name=>name!==SHEET);names.sort((a,b)=>mapOrder(a)-mapOrder(b)),names.includes(state.sidesMap)||(state.sidesMap=names.includes(
"heat")?"heat":names[0]??null),byId("sides-maps").hidden=names.length===0,byId("sides-maps").replaceChildren(...names.map(
sideMapButton)),showSidePictures()}function sideMapButton(name){let button=element("button",{type:"button"},mapTitle(name));
return button.dataset.map=name,button.addEventListener("click",()=>{state.sidesMap=name,showSidePictures()}),button}function showSidePictures(){
for(let button of byId("sides-maps").children)button.setAttribute("aria-pressed",String(button.dataset.map===state.sidesMap));
let pictures=byId("sides-table").querySelectorAll("thead img");state.sides.forEach((index,i)=>{let source=(state.sidesMap&&
imageOf(report.media[index],state.sidesMap))??thumbOf(index);pictures[i].hidden=!source,source&&(pictures[i].src=source),
pictures[i].alt=source?`${state.sidesMap?mapTitle(state.sidesMap):"Picture"} of ${report.media[index].name}`:""})}var scrollBefore=0;function route(){let address=location.hash.slice(1),index=address?report.media.findIndex(medium=>medium.
done&&medium.id===address):-1,indices=address.startsWith(SIDES)?sidesOf(address):[];return indices.length<2&&closeSides(
address),index>=0?openDetail(index):indices.length>=2?openSides(indices):openOverview(address)}function openOverview(address){
let before=state.open,list=address.startsWith(LIST);if((list||address===""&&currentAddress().startsWith("#"))&&restoreList(
list?location.hash.slice(1+LIST.length):""),before!==null)return closeDetail(address);address==="media"&&inGallery()&&byId(
"all-media").scrollIntoView()}function openSides(indices){state.open===null&&byId("sides").hidden&&(scrollBefore=scrollY),
state.open!==null&&leaveDetail(),showSides(indices),state.picks.splice(0,state.picks.length,...indices),markPicks(),byId(
"chosen").hidden=!0,byId("overview").hidden=!0,byId("sides").hidden=!1,byId("sides").focus({preventScroll:!0}),scrollTo(
{top:0,behavior:"instant"})}function closeSides(anchor=""){if(!byId("sides").hidden){if(byId("sides").hidden=!0,byId("ov\
erview").hidden=!1,showPicks(),anchor&&byId(anchor))return byId(anchor).scrollIntoView();scrollTo({top:scrollBefore,behavior:"\
instant"})}}function openDetail(index){state.open===null&&(scrollBefore=scrollY);let stepping=state.open!==null;showDetail(
index),byId("overview").hidden=!0,byId("detail").hidden=!1,document.body.classList.add("detail-open"),stepping||byId("de\
tail").focus({preventScroll:!0}),scrollTo({top:0,behavior:"instant"})}function leaveDetail(){state.open=null,closeEditor(),
state.timeline=null,closePlayer(),byId("detail").hidden=!0,document.body.classList.remove("detail-open")}function closeDetail(anchor){
let link=linkOf(state.open);return leaveDetail(),byId("overview").hidden=!1,anchor&&byId(anchor)?byId(anchor).scrollIntoView():
(scrollTo({top:scrollBefore,behavior:"instant"}),link.focus({preventScroll:!0}))}function goBack(event){return event?.preventDefault(),
served?location.assign(served.home):(history.pushState(null,"",currentAddress()),state.open===null?closeSides():closeDetail(
""))}function wireRouter(){byId("back").addEventListener("click",goBack),byId("sides-back").addEventListener("click",goBack),
addEventListener("hashchange",route)}function isDark(){return(document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"da\
rk":"light"))==="dark"}function toggleTheme(){let theme=isDark()?"light":"dark";document.documentElement.dataset.theme=theme,
storeLocally("theme",theme)}function wireTheme(){let theme=readLocally("theme");(theme==="light"||theme==="dark")&&(document.
documentElement.dataset.theme=theme),byId("theme").addEventListener("click",toggleTheme)}function onKey(event){if(state.open===null&&event.key==="Escape"&&!byId("sides").hidden)return goBack(event);if(state.open===
null||query("dialog[open]")||editorKey(event)||event.altKey||event.ctrlKey||event.metaKey||playerKey(event)||viewerKey(event))
return;let typing2=event.target.matches("input:not([type=range]), select, textarea");event.key==="Escape"&&!typing2&&!leaveZoom()&&
goBack(event),!event.target.matches("input, select, textarea")&&((event.key==="ArrowLeft"||event.key==="k")&&stepMedium(
-1),(event.key==="ArrowRight"||event.key==="j")&&stepMedium(1))}document.documentElement.classList.add("scripted");wireTheme();
for(let name of queryAll("[data-run]"))name.textContent=shellQuoted(runFolder());wireList();wireFilters();wireCategories();
wireRules();wireCards();wirePicks();wireExport();wireSummary();wireDetail();wireViewer();wireAnswers();wireShortcuts();wirePlayer();
wireFilmPrint();wireAreas();wireLooks();wireDrawing();wirePanel();addEventListener("keydown",onKey);wireRouter();wireAreaRanking();
recallDrafts();showDrafts();served&&wireServed();notify("filters");notify("list");route();wireSections();served&&resume();return __toCommonJS(main_exports);})();
