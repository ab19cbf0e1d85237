var S,sn,Et,le,xt,Ke,an,Be,ln,Tt,St,Gr,je=Symbol.for("pv"),Je={},Ze=[],Ur=/^m(i|n|o|s|text|space)$/,Mt=Array.isArray,At=Ze.slice,he=Object.assign;function pe(e){e&&e.parentNode&&e.remove()}function Qe(e,t,n){var r,s,o,a={},c=arguments.length;for(o in t)o=="key"?r=t[o]:o=="ref"&&typeof e!="function"?s=t[o]:a[o]=t[o];return c>2&&(a.children=c>3?At.call(arguments,2):n),De(e,a,r,s,null)}function De(e,t,n,r,s){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:je,__v:s||++sn,__i:-1,__u:0};return!s&&S.vnode&&S.vnode(o),o}function fe(e){return e.children}function we(e,t){this.props=e,this.context=t,this.__g=0}function ce(e,t){if(t==null)return e.__&&ce(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:ce(e)}function Hr(e){var t,n=e.__v,r=n.__e,s=[],o=[],a=e.__P;a&&((t=he({constructor:je},n)).__v=n.__v+1,S.vnode&&S.vnode(t),Ct(a,t,n,e.__n,a.namespaceURI,32&n.__u?[r]:null,s,r||ce(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,hn(s,t,o),n.__=n.__e=null,t.__e!=r&&cn(t))}function cn(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),cn(e)}function rn(e){(8&e.__g||(e.__g|=8,le.push(e),Ke++))&&xt==S.debounceRendering||((xt=S.debounceRendering)||queueMicrotask)(dn)}function dn(){try{for(var e,t=1;le.length;)le.length>t&&le.sort(an),e=le.shift(),t=le.length,8&e.__g&&Hr(e)}finally{(Ke=le.length)&&(xt||queueMicrotask)(dn)}}function un(e,t,n,r,s,o,a,c,d,m,u){var f,h,p,g,b,_,v=r.__k||Ze,y=t.length;for(d=Br(n,t,v,d,y),f=0;f<y;f++)(p=n.__k[f])!=null&&(h=~p.__i&&v[p.__i]||Je,p.__i=f,_=Ct(e,p,h,s,o,a,c,d,m,u),g=p.__e,(h.ref!=p.ref||8&h.__u)&&(h.ref&&Dt(h.ref,null,p,h),p.ref&&u.push(p.ref,p.__c||g,p)),b=b||g,4&p.__u?(d=mn(p,d,e,!h.__v),h.__e&&(h.__e=null)):typeof p.type=="function"&&_!==void 0?d=_:g&&(d=g.nextSibling),p.__u&=-21);return n.__e=b,d}function Br(e,t,n,r,s){var o,a,c,d,m,u,f,h,p,g=n.length,b=g,_=0,v=0,y=e.__k=Array(s);for(o=0;o<s;o++)(a=t[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=y[o]=De(null,a):Mt(a)?a=y[o]=De(fe,{children:a}):a.constructor===je&&a.__b?a=y[o]=De(a.type,a.props,a.key,a.ref,a.__v):y[o]=a,d=o+_,a.__=e,a.__b=e.__b+1,c=null,~(m=a.__i=Vr(a,n,d,b))&&(b--,(c=n[m])&&(c.__u|=2)),c&&c.__v?(a.__u|=16,m==d-1?_--:m==d+1?_++:m!=d&&(m>d?_--:_++,v=1)):(~m||(s>g?_--:s<g&&_++),typeof a.type!="function"&&(a.__u|=4))):y[o]=null;if(v){for(u=[],f=[],o=0;o<s;o++)if((a=y[o])&&16&a.__u){for(_=0,h=u.length;_<h;)u[p=_+h>>1]<a.__i?_=p+1:h=p;u[_]=a.__i,f[o]=_+1}for(_=u.length;o--;)f[o]&&(f[o]==_?_--:y[o].__u|=4)}if(b)for(o=0;o<g;o++)!(c=n[o])||2&c.__u||(c.__e==r&&(r=ce(c)),jt(c,c));return r}function mn(e,t,n,r){var s,o,a,c;if(typeof e.type=="function"){if(e.props.__P)return t;if(s=e.__k)for(o=0;o<s.length;o++)s[o]&&(s[o].__=e,t=mn(s[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=ce(e))&&!t.parentNode&&(t=null),a=e.__e,c=t;c&&c.nodeType==8;)c=c.nextSibling;for(a!=c&&(!r&&n.moveBefore&&a.parentNode?n.moveBefore(a,t):n.insertBefore(a,t||null)),t=a;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function Vr(e,t,n,r){var s,o=e.key,a=e.type,c=t[n],d=c&&!(2&c.__u);if(c===null&&o==null||d&&o==c.key&&a==c.type)return n;if(r>(d?1:0)){for(s=n-1;s>=0;s--)if((c=t[s])&&!(2&c.__u)&&o==c.key&&a==c.type)return s;for(s=n+1;s<t.length;s++)if((c=t[s])&&!(2&c.__u)&&o==c.key&&a==c.type)return s}return-1}function on(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function He(e,t,n,r,s){var o,a;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||on(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||on(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(a=St[t]||(St[t]=Kr(t)),(e.__a||(e.__a={}))[t]=Tt,o=t!=(t=t.replace(ln,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,a,o):e.removeEventListener(t,a,o));else{if(s=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Kr(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[Be]==null)t[Be]=Tt++;else if(t[Be]<this.__a[e])return;return n(S.event?S.event(t):t)}}}function Ct(e,t,n,r,s,o,a,c,d,m){var u,f,h,p,g,b,_,v,y,W,j,kt,tn,Ue,ue,nn,ae,me,te=t.type;if(t.constructor!==je)return null;128&n.__u&&(d=32&n.__u,u=n.__c.__z)&&(t.__u|=d,f=o=[],u.nodeType==8?c=Ve(u,o):o.push(u),c=o[0]||c),(u=S.__b)&&u(t);e:if(typeof te=="function"){h=a.length;try{if(v=t.props,y=(u=te.prototype)&&u.render,W=(u=te.contextType)&&r[u.__c],j=u?W?W.props.value:u.__:r,(p=n.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):(y?t.__c=p=new te(v,j):(t.__c=p=new we(v,j),p.constructor=te,p.render=Zr),W&&W.sub(p),p.state||(p.state={}),p.__n=r,p.__g|=8,p.__h=[],p.__k=[]),y&&(p.__s||(p.__s=p.state),te.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=he({},p.__s)),he(p.__s,te.getDerivedStateFromProps(v,p.__s)))),g=p.props,b=p.state,p.__v=t,n.__c){if(v!==g&&y&&!te.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(v,j),t.__v==n.__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(v,p.__s,j)===!1){t.__v!=n.__v&&(p.props=v,p.state=p.__s,p.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(B){B&&(B.__=t)}),Ze.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&a.push(p),c=ce(n);break e}p.componentWillUpdate&&p.componentWillUpdate(v,p.__s,j),y&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(g,b,_)})}else y&&!te.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),y&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=j,p.props=v,p.__P=e,p.__g&=-5,kt=S.__r,tn=y?25:0;do p.__g&=-9,kt&&kt(t),u=p.render(p.props,p.state=p.__s,p.context);while(8&p.__g&&++tn<25);y&&(Ze.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(r=he({},r,p.getChildContext())),y&&n.__c&&p.getSnapshotBeforeUpdate&&(_=p.getSnapshotBeforeUpdate(g,b)),Ue=u&&u.type===fe&&u.key==null?u.props.children:u,v.__P&&(u=c,s=(e=v.__P).namespaceURI,d=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(B){B&&jt(B,B)}),n.__k=null),c=n.__k?ce(n,0):null),c=un(e,Mt(Ue)?Ue:[Ue],t,n,r,s,o,a,c,d,m),v.__P&&(t.__e=null,c=u),t.__u&=-161,f&&f.some(pe),p.__h.length&&a.push(p),1&p.__g&&(p.__g&=-4)}catch(B){if(a.length=h,t.__v=null,d||o)if(B&&B.then){if(t.__u|=128|d,o){for(~(ae=o.indexOf(c||void 0))||(ae=o.length);(me=o[ae-1])&&me.nodeType==8;)ae--;for(;ae<o.length;ae++)if(me=o[ae])if(o[ae]=null,ue){if(me==nn)break}else{if(me.nodeType!=8)break;me.data.startsWith("$s")&&(nn=Ve(ue=me))}}if(!ue){for(;c&&c.nodeType==8&&c.nextSibling;)c=c.nextSibling;ue=c}(u=Ve(ue=t.__c.__z||(t.__c.__z=ue)))?(t.__e=ue,c=u):t.__e=c,c=c&&c.nextSibling}else o&&o.some(pe);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),B&&B.then||pn(t),S.__e(B,t,n)}}else c=t.__e=Jr(n.__e,t,n,r,s,o,a,d,m,e);return(u=S.diffed)&&u(t),c}function Ve(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function pn(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(pn))}function hn(e,t,n){for(var r=0;r<n.length;)Dt(n[r++],n[r++],n[r++]);S.__c&&S.__c(t,e),e.some(function(s){try{e=s.__h,s.__h=[],e.some(function(o){o.call(s)})}catch(o){S.__e(o,s.__v)}})}function Jr(e,t,n,r,s,o,a,c,d,m){var u,f,h,p,g,b,_,v,y=n.props||Je,W=t.props,j=t.type;if(j=="svg"?s="http://www.w3.org/2000/svg":j=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((g=o[u])&&(j?g.localName==j:g.nodeType==3)){e=g,o[u]=null;break}}if(!e){if(v=m.ownerDocument||document,!j)return v.createTextNode(W);e=v.createElementNS(s,j,W.is?W:m),c&&(S.__m&&S.__m(t,o),c=!1),o=null}if(j){if(m=j=="template"&&e.content||e,o=j=="textarea"&&W.defaultValue!=null?null:o&&At.call(m.childNodes),!c&&o)for(y={},u=0;u<e.attributes.length;u++)y[(g=e.attributes[u]).name]=g.value;for(u in y)g=y[u],u=="dangerouslySetInnerHTML"?h=g:u=="children"||u in W||u=="value"&&"defaultValue"in W||u=="checked"&&"defaultChecked"in W||He(e,u,null,g,s);for(u in W)g=W[u],u=="children"?p=g:u=="dangerouslySetInnerHTML"?f=g:u=="value"?b=g:u=="checked"?_=g:c&&typeof g!="function"||y[u]===g||He(e,u,g,y[u],s);f?(c||h&&(f.__html==h.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):(h&&(e.textContent=""),(j=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&Ur.test(j))&&(s="http://www.w3.org/1999/xhtml"),un(m,Mt(p)?p:[p],t,n,r,s,o,a,o?o[0]:n.__k&&ce(n,0),c,d),o&&o.some(pe)),c&&j!="textarea"||(u="value",j=="progress"&&b==null?e.removeAttribute(u):b==null||b===e[u]&&(j!="progress"||b)||He(e,u,b,y[u],s),u="checked",_!=null&&_!=e[u]&&He(e,u,_,y[u],s))}else y===W||c&&e.data==W||(e.data=W);return e}function Dt(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(s){S.__e(s,n)}}function jt(e,t,n){var r,s,o,a;if(S.unmount&&S.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||Dt(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(c){S.__e(c,t)}r.__P=r.__n=null}if(r=e.__k)for(a=0;a<r.length;a++)r[a]&&jt(r[a],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(s=Ve(r,o=[]))&&(r==e.__e&&o.some(pe),pe(s),pe(r)),n||pe(e.__e),e.__e=e.__c=e.__=null}function Zr(e,t,n){return this.constructor(e,n)}function fn(e,t){var n,r,s,o;S.__&&S.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=De(fe,{children:[e]}),s=[],o=[],Ct(t,t.__k,r||Je,Je,t.namespaceURI,r?null:t.firstChild?At.call(t.childNodes):null,s,r?r.__e:t.firstChild,n,o),hn(s,t.__k,o),t.__k.props.children=null}S={__e:function(e,t,n,r){for(var s,o,a;t=t.__;)if((s=t.__c)&&!(1&s.__g)){s.__g|=4;try{if((a=(o=s.constructor)&&o.getDerivedStateFromError)&&s.setState(o.getDerivedStateFromError(e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),a=1),a&&8&s.__g)return void(s.__g|=2)}catch(c){e=c}}throw Ke=0,e}},sn=0,Et=function(e){return e!=null&&e.constructor===je},we.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=he({},this.state)),typeof e=="function"&&(e=e(he({},n),this.props)),e&&(he(n,e),this.__v&&(t&&this.__k.push(t),rn(this)))},we.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),rn(this))},we.prototype.render=fe,le=[],Ke=0,an=function(e,t){return e.__v.__b-t.__v.__b},Be=Symbol(),ln=/(PointerCapture)$|Capture$/i,Tt=0,St={},Gr=0;var ke,L,Nt,gn,Ot=Object.is,Oe=0,Sn=[],Rt=[],N=S,$n=N.__b,_n=N.__r,vn=N.diffed,bn=N.__c,yn=N.unmount,wn=N.__;function Xe(e,t){N.__h&&N.__h(L,e,Oe||t),Oe=0;var n=L.__H||(L.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function $(e){return Oe=1,Qr(Mn,e)}function Qr(e,t,n){var r=Xe(ke++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):Mn(void 0,t),function(o){var a=(r.__N||r.__)[0],c=r.t(a,o);Ot(a,c)||(r.__N=[c,r.__[1]],r.__c.setState({}))}],r.__c=L,!L.__f)){L.__f=!0;var s=L.shouldComponentUpdate;L.shouldComponentUpdate=function(o,a,c){var d=this.__H;if(!d)return!0;var m=!1,u=this.props!=o;if(d.__.some(function(h){h.__N&&(m=!0,Ot(h.__[0],h.__N[0])||(u=!0))}),s){var f=s.call(this,o,a,c);return m?f||u:f}return!m||u}}return r.__}function P(e,t){var n=Xe(ke++,3);!N.__s&&qt(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,L.__H.__h.push(n))}function En(e,t){var n=Xe(ke++,4);!N.__s&&qt(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,L.__h.push(n))}function z(e){return Oe=5,ge(function(){return{current:e}},[])}function ge(e,t){var n=Xe(ke++,7);return qt(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function Tn(e,t){return Oe=8,ge(function(){return e},t)}function Xr(){var e;do{for(;e=Rt.shift();)try{Ne(e)}catch(n){N.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Sn.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Ne),t.__h.some(Lt),t.__h=[]}catch(n){t.__h=[],N.__e(n,e.__v)}}}while(Rt.length)}N.__b=function(e){L=null,$n&&$n(e)},N.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),wn&&wn(e,t)},N.__r=function(e){_n&&_n(e),ke=0;var t=(L=e.__c).__H;t&&(Nt==L?L.__h=[]:(t.__h.some(Ne),t.__h.some(Lt),ke=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Nt=L},N.diffed=function(e){vn&&vn(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&xn(Sn.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Nt=L=null},N.__c=function(e,t){t.some(function(n){try{n.__h.some(Ne),n.__h=n.__h.filter(function(r){return!r.__||Lt(r)})}catch(r){n.__h=[function(){throw r}]}}),bn&&bn(e,t)},N.unmount=function(e){yn&&yn(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}s.__P=n,xn(Rt.push(s))}else Ne(s)}catch(o){t=o}}),r.__H=void 0,t&&N.__e(t,r.__v))};var kn=typeof requestAnimationFrame=="function";function Yr(e){var t,n=function(){clearTimeout(r),kn&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);kn&&(t=requestAnimationFrame(n))}function xn(e){e!=1&&gn==N.requestAnimationFrame||((gn=N.requestAnimationFrame)||Yr)(Xr)}function Ne(e){var t=L,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),L=t}function Lt(e){var t=L;e.__c=e.__(),L=t}function qt(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!Ot(n,e[r])})}function Mn(e,t){return typeof t=="function"?t(e):t}var eo=Symbol.for("preact-signals");function nt(){if(ne>1)ne--;else{var e,t=!1;for((function(){var s=et;for(et=void 0;s!==void 0;){var o=s.S;if(o.v===s.v)for(var a=o.t;a!==void 0;a=a.x)a.i===s.i&&(a.i=o.i);s=s.o}})();Le!==void 0;){var n=Le;for(Le=void 0,Ye++;n!==void 0;){var r=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Cn(n))try{n.c()}catch(s){t||(e=s,t=!0)}n=r}}if(Ye=0,ne--,t)throw e}}function It(e){if(ne>0)return e();Wt=++to,ne++;try{return e()}finally{nt()}}var Re,A=void 0;function qe(e){var t=A,n=Re;A=void 0,Re=void 0;try{return e()}finally{A=t,Re=n}}var Le=void 0,ne=0,Ye=0,to=0,Wt=0,et=void 0,tt=0;function An(e){if(A!==void 0){var t=e.n;if(t===void 0||t.t!==A)return t={i:0,S:e,p:A.s,n:void 0,t:A,e:void 0,x:void 0,r:t},A.s!==void 0&&(A.s.n=t),A.s=t,e.n=t,32&A.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=A.s,t.n=void 0,A.s.n=t,A.s=t),t}}function q(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=t?.watched,this.Z=t?.unwatched,this.name=t?.name}q.prototype.brand=eo;q.prototype.h=function(){return!0};q.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:qe(function(){var r;(r=t.W)==null||r.call(t)}))};q.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,r=e.x;n!==void 0&&(n.x=r,e.e=void 0),r!==void 0&&(r.e=n,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&qe(function(){var s;(s=t.Z)==null||s.call(t)}))}};q.prototype.subscribe=function(e){var t=this;return F(function(){var n=t.value;qe(function(){return e(n)})},{name:"sub"})};q.prototype.valueOf=function(){return this.value};q.prototype.toString=function(){return this.value+""};q.prototype.toJSON=function(){return this.value};q.prototype.peek=function(){var e=this;return qe(function(){return e.value})};Object.defineProperty(q.prototype,"value",{get:function(){var e=An(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(Ye>100)throw new Error("Cycle detected");(function(n){ne!==0&&Ye===0&&n.l!==Wt&&(n.l=Wt,et={S:n,v:n.v,i:n.i,o:et})})(this),this.v=e,this.i++,tt++,ne++;try{for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{nt()}}}});function E(e,t){return new q(e,t)}function Cn(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.i)return!0;return!1}function Dn(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function jn(e){for(var t=e.s,n=void 0;t!==void 0;){var r=t.p;t.i===-1?(t.S.U(t),r!==void 0&&(r.n=t.n),t.n!==void 0&&(t.n.p=r)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=r}e.s=n}function $e(e,t){q.call(this,void 0,t),this.x=e,this.s=void 0,this.g=tt-1,this.f=4}$e.prototype=new q;$e.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===tt))return!0;if(this.g=tt,this.f|=1,this.i>0&&!Cn(this))return this.f&=-2,!0;var e=A;try{Dn(this),A=this;var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return A=e,jn(this),this.f&=-2,!0};$e.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}q.prototype.S.call(this,e)};$e.prototype.U=function(e){if(this.t!==void 0&&(q.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};$e.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty($e.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=An(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function xe(e,t){return new $e(e,t)}function Nn(e){var t=e.j;if(e.j=void 0,typeof t=="function"){ne++;var n=A;A=void 0;try{t()}catch(r){throw e.f&=-2,e.f|=8,Pt(e),r}finally{A=n,nt()}}}function Pt(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,Nn(e)}function no(e){if(A!==this)throw new Error("Out-of-order effect");jn(this),A=e,this.f&=-2;try{8&this.f&&Pt(this)}finally{nt()}}function Se(e,t){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,Re&&Re.push(this)}Se.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};Se.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,Nn(this),Dn(this),ne++;var e=A;return A=this,no.bind(this,e)};Se.prototype.N=function(){2&this.f||(this.f|=2,this.u=Le,Le=this)};Se.prototype.d=function(){this.f|=8,1&this.f||Pt(this)};Se.prototype.dispose=function(){this.d()};function F(e,t){var n=new Se(e,t);try{n.c()}catch(s){throw n.d(),s}var r=n.d.bind(n);return r[Symbol.dispose]=r,r}var On,ot,rt,ro=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Rn=[];F(function(){On=this.N})();function Ee(e,t){S[e]=t.bind(null,S[e]||function(){})}function We(e){if(rt){var t=rt;rt=void 0,t()}rt=e&&e.S()}function Ln(e){var t=this,n=e.data,r=so(n);r.name="ReactiveDom",r.value=n;var s=ge(function(){for(var c=t,d=t.__v;d=d.__;)if(d.__c){d.__c.__$f|=4;break}var m=xe(function(){var p=r.value.value;return p===0?0:p===!0?"":p||""}),u=xe(function(){return!Array.isArray(m.value)&&!Et(m.value)}),f=F(function(){if(this.N=qn,u.value){var p=m.value;c.__v&&c.__v.__e&&c.__v.__e.nodeType===3&&(c.__v.__e.data=p)}}),h=t.__$u.d;return t.__$u.d=function(){f(),h.call(this)},[u,m]},[]),o=s[0],a=s[1];return o.value?a.peek():a.value}Ln.displayName="ReactiveTextNode";Object.defineProperties(q.prototype,{constructor:{configurable:!0,value:Qe(fe,null).constructor},type:{configurable:!0,value:Ln},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Ee("__b",function(e,t){if(We(),ot=void 0,typeof t.type=="string"){var n,r=t.props;for(var s in r)if(s!=="children"){var o=r[s];o instanceof q&&(n||(t.__np=n={}),n[s]=o,r[s]=o.peek())}}e(t)});Ee("__r",function(e,t){if(e(t),t.type!==fe){We();var n,r=t.__c;r&&(r.__$f&=-2,(n=r.__$u)===void 0&&(r.__$u=n=(function(s,o){var a;return F(function(){a=this},{name:o}),a.c=s,a})((function(s){return function(){var o;ro&&((o=this.y)==null||o.call(this)),s.__$f|=1,s.setState({})}})(r),typeof t.type=="function"?t.type.displayName||t.type.name:""))),ot=r,We(n)}});Ee("__e",function(e,t,n,r){We(),ot=void 0,e(t,n,r)});Ee("diffed",function(e,t){We(),ot=void 0;var n;if(typeof t.type=="string"&&(n=t.__e)){var r=t.__np,s=t.props,o=n.U;if(o)for(var a in o){var c=o[a];c===void 0||r&&a in r||(c.d(),o[a]=void 0)}if(r){o||(o={},n.U=o);for(var d in r){var m=o[d],u=r[d];m===void 0?(m=oo(n,d,u,s),o[d]=m):m.o(u,s)}}}e(t)});function oo(e,t,n,r){var s=t in e&&e.ownerSVGElement===void 0,o=E(n);return{o:function(a,c){o.value=a,r=c},d:F(function(){this.N=qn;var a=o.value.value;r[t]!==a&&(r[t]=a,s?e[t]=a:a!=null&&(a!==!1||t[4]==="-")?e.setAttribute(t,a):e.removeAttribute(t))})}}Ee("unmount",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var r=n.U;if(r){n.U=void 0;for(var s in r){var o=r[s];o&&o.d()}}}var a=t.__np;if(a){var c=t.props;for(var d in a)c[d]=a[d]}t.__np=void 0}else{var m=t.__c;if(m){m.__$f|=8;var u=m.__$u;u&&(m.__$u=void 0,u.d())}}e(t)});Ee("__h",function(e,t,n,r){r<3&&(t.__$f|=2),e(t,n,r)});we.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,r=n&&n.s!==void 0;for(var s in t)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var o=2&this.__$f;if(!(r||o||4&this.__$f)||1&this.__$f)return!0}else if(!(r||4&this.__$f)||3&this.__$f)return!0;for(var a in e)if(a!=="__source"&&e[a]!==this.props[a])return!0;for(var c in this.props)if(!(c in e))return!0;return!1};function so(e,t){return ge(function(){return E(e,t)},[])}var io=function(e){queueMicrotask(function(){queueMicrotask(e)})};function ao(){It(function(){for(var e;e=Rn.shift();)On.call(e)})}function qn(){Rn.push(this)===1&&(S.requestAnimationFrame||io)(ao)}var In=function(e,t,n,r){var s;t[0]=0;for(var o=1;o<t.length;o++){var a=t[o++],c=t[o]?(t[0]|=a?1:2,n[t[o++]]):t[++o];a===3?r[0]=c:a===4?r[1]=Object.assign(r[1]||{},c):a===5?(r[1]=r[1]||{})[t[++o]]=c:a===6?r[1][t[++o]]+=c+"":a?(s=e.apply(c,In(e,c,n,["",null])),r.push(s),c[0]?t[0]|=2:(t[o-2]=0,t[o]=s)):r.push(c)}return r},Wn=new Map;function Pn(e){var t=Wn.get(this);return t||(t=new Map,Wn.set(this,t)),(t=In(this,t.get(e)||(t.set(e,t=(function(n){for(var r,s,o=1,a="",c="",d=[0],m=function(h){o===1&&(h||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?d.push(0,h,a):o===3&&(h||a)?(d.push(3,h,a),o=2):o===2&&a==="..."&&h?d.push(4,h,0):o===2&&a&&!h?d.push(5,0,!0,a):o>=5&&((a||!h&&o===5)&&(d.push(o,0,a,s),o=6),h&&(d.push(o,h,0,s),o=6)),a=""},u=0;u<n.length;u++){u&&(o===1&&m(),m(u));for(var f=0;f<n[u].length;f++)r=n[u][f],o===1?r==="<"?(m(),d=[d],o=3):a+=r:o===4?a==="--"&&r===">"?(o=1,a=""):a=r+a[0]:c?r===c?c="":a+=r:r==='"'||r==="'"?c=r:r===">"?(m(),o=1):o&&(r==="="?(o=5,s=a,a=""):r==="/"&&(o<5||n[u][f+1]===">")?(m(),o===3&&(d=d[0]),o=d,(d=d[0]).push(2,0,o),o=0):r===" "||r==="	"||r===`
`||r==="\r"?(m(),o=2):a+=r),o===3&&a==="!--"&&(o=4,d=d[0])}return m(),d})(e)),t),arguments,[])).length>1?t:t[0]}var l=Pn.bind(Qe);var O=E(void 0),zt=E(""),zn=!1;F(()=>{zn&&O.value===null&&location.reload(),zn=!!O.value});var lo=/^#token=([\w-]+)$/;async function Fn(){let e=lo.exec(location.hash);if(e&&(history.replaceState(null,"",location.pathname+location.search),await Ft(e[1])))return;let t=await fetch("/ui/session").catch(()=>null);O.value=t?.ok?await t.json():null}async function Ft(e){let t={Authorization:`Bearer ${e}`},n=await fetch("/ui/session",{method:"POST",headers:t}).catch(()=>null),r=await n?.json().catch(()=>null);return zt.value=n?.ok?"":r?.detail??"",n?.ok&&(O.value=r),!!n?.ok}async function Gn(){await fetch("/ui/session",{method:"DELETE",headers:{"X-CSRF-Token":O.value?.csrf??""}}).catch(()=>null),history.replaceState(null,"","/ui/"),O.value=null}var st=class extends Error{constructor(t,n){super(n),this.status=t}};async function it(e,t,{query:n={},body:r,headers:s={},signal:o}={}){let a=Object.entries(n).filter(([,m])=>m!==""&&m!==void 0&&m!==null),c=a.length?`${t}?${new URLSearchParams(a)}`:t,d=await fetch(c,{method:e,signal:o,headers:{...r===void 0?{}:{"Content-Type":"application/json"},...e==="GET"?{}:{"X-CSRF-Token":O.value?.csrf??""},...s},body:r===void 0?void 0:JSON.stringify(r)}).catch(m=>{throw m.name==="AbortError"?m:new st(0,"")});if(d.status===401&&(O.value=null),!d.ok)throw new st(d.status,(await d.json().catch(()=>null))?.detail??d.statusText);return d}async function Ie(e,t,n){return(await it(e,t,n)).json().catch(()=>null)}var k=(e,t,n)=>Ie("GET",e,{query:t,...n}),U=(e,t={},n)=>Ie("POST",e,{body:t,...n}),at=(e,t,n)=>Ie("PUT",e,{body:t,...n}),lt=(e,t,n)=>Ie("PATCH",e,{body:t,...n}),Q=(e,t,n)=>Ie("DELETE",e,{query:t,...n});var _e=E("idle"),Ut=500,co=1e4,Gt=new Set,Me=null,Te="",Pe=Ut,Ht=0;async function Hn(e,t){let n=e.body.pipeThrough(new TextDecoderStream).getReader(),r="";for(;;){let{value:s,done:o}=await n.read();if(o)return;let a=(r+s).split(`

`);r=a.pop();for(let c of a){let d=c.split(`
`).find(m=>m.startsWith("data: "));d&&t(JSON.parse(d.slice(6)))}}}async function ct(){if(clearTimeout(Ht),!O.value||Me||document.hidden)return;let e=new AbortController;Me=e,_e.peek()!=="lost"&&(_e.value="connecting");try{let n=await it("GET","/v1/events",{headers:Te?{"Last-Event-ID":Te}:{},signal:e.signal});Pe=Ut,_e.value="open",Te||Un({kind:"lost"}),await Hn(n,r=>{Te=r.cursor??Te,r.kind&&Un(r)})}catch{}Me===e&&uo()}function uo(){Me=null,O.value&&(_e.value="lost",Ht=setTimeout(ct,Pe*(.5+Math.random()/2)),Pe=Math.min(Pe*2,co))}function Un(e){for(let t of Gt)(e.kind==="lost"||t.kinds.some(n=>e.kind.startsWith(n)))&&t.take(e)}async function Bn(e,t){let n="lost",r=await it("POST","/ui/ask",{body:e});if(await Hn(r,s=>{s.error?n=s.error.message:t(s),s.end_of_dialog&&(n="")}).catch(()=>{}),n)throw new Error(n)}function ve(e,t){let n={kinds:e,take:t};return Gt.add(n),()=>Gt.delete(n)}function Vn(){clearTimeout(Ht),_e.value="idle",Me?.abort(),Me=null}F(()=>{O.value?ct():(Te="",Vn())});document.addEventListener("visibilitychange",()=>document.hidden?Vn():ct());addEventListener("online",()=>{Pe=Ut,ct()});var Bt={"shell.skip":{en:"Skip to the content",de:"Zum Inhalt springen"},"shell.menu":{en:"Menu",de:"Menü"},"shell.panes":{en:"Panes",de:"Bereiche"},"shell.language":{en:"Language",de:"Sprache"},"shell.theme":{en:"Colours",de:"Farben"},"shell.sign_out":{en:"Sign out",de:"Abmelden"},"shell.all_collections":{en:"all collections",de:"alle Sammlungen"},"theme.system":{en:"System",de:"System"},"theme.light":{en:"Light",de:"Hell"},"theme.dark":{en:"Dark",de:"Dunkel"},"sign_in.title":{en:"Sign in",de:"Anmelden"},"sign_in.command":{en:"This command opens the page and signs you in:",de:"Dieser Befehl öffnet die Seite und meldet Sie an:"},"sign_in.key":{en:"Or a user key",de:"Oder ein Schlüssel eines Benutzers"},"sign_in.submit":{en:"Sign in",de:"Anmelden"},"state.loading":{en:"Loading",de:"Wird geladen"},"state.failed":{en:"That did not work.",de:"Das hat nicht funktioniert."},"state.unreachable":{en:"The server does not answer. It may have stopped: start it with react-mem up.",de:"Der Server antwortet nicht. Vielleicht läuft er nicht mehr: react-mem up startet ihn."},"state.connection_lost":{en:"The connection is lost. The page connects again by itself.",de:"Die Verbindung ist unterbrochen. Die Seite verbindet sich von selbst wieder."},"state.no_page":{en:"Page not found",de:"Seite nicht gefunden"},"state.no_page_text":{en:"Choose a pane in the menu.",de:"Wählen Sie einen Bereich im Menü."},"action.retry":{en:"Try again",de:"Noch einmal"},"action.cancel":{en:"Cancel",de:"Abbrechen"},"action.undo":{en:"Undo",de:"Rückgängig"},"confirm.type":{en:"Type {word} to confirm",de:"Zur Bestätigung {word} eingeben"},"pane.ask":{en:"Ask",de:"Fragen"},"pane.memories":{en:"Memories",de:"Erinnerungen"},"pane.recall":{en:"Recall debugger",de:"Abruf untersuchen"},"kind.turn":{en:"turn",de:"Äußerung"},"kind.semantic":{en:"fact",de:"Fakt"},"kind.procedural":{en:"rule",de:"Regel"},"kind.reflective":{en:"insight",de:"Einsicht"},"kind.topic":{en:"topic",de:"Thema"},"status.active":{en:"active",de:"aktiv"},"status.superseded":{en:"superseded",de:"überholt"},"status.quarantined":{en:"held back",de:"zurückgehalten"},"status.undone":{en:"undone",de:"rückgängig"},"status.pending":{en:"waiting",de:"wartet"},"status.queued":{en:"waiting",de:"wartet"},"status.deferred":{en:"waiting for the model",de:"wartet auf das Modell"},"status.running":{en:"running",de:"läuft"},"status.succeeded":{en:"done",de:"fertig"},"status.failed":{en:"failed",de:"fehlgeschlagen"},"status.cancelled":{en:"cancelled",de:"abgebrochen"},"step.thought":{en:"Thought",de:"Gedanke"},"step.action":{en:"Action",de:"Aktion"},"step.observation":{en:"Observation",de:"Beobachtung"},"job.record":{en:"record",de:"Aufzeichnung"},"job.understand":{en:"understanding",de:"Verstehen"},"job.extract":{en:"extraction",de:"Auswertung"},"job.forget":{en:"erasure",de:"Löschung"},"pane.conversations":{en:"Conversations",de:"Gespräche"},"pane.rules":{en:"Rules and topics",de:"Regeln und Themen"},"pane.jobs":{en:"Jobs",de:"Aufträge"},"pane.learning":{en:"Learning",de:"Lernen"},"pane.erasures":{en:"Erasures",de:"Löschungen"},"pane.settings":{en:"Settings",de:"Einstellungen"},"pane.health":{en:"Health",de:"Zustand"},"action.forget":{en:"Erase",de:"Löschen"},"action.edit":{en:"Edit",de:"Bearbeiten"},"action.save":{en:"Save",de:"Speichern"},"list.shown":{en:{one:"{n} shown",other:"{n} shown"},de:{one:"{n} gezeigt",other:"{n} gezeigt"}},"list.more":{en:"Show more",de:"Mehr zeigen"},"list.or_more":{en:"{n} or more",de:"{n} oder mehr"},"chart.table":{en:"As a table",de:"Als Tabelle"},"chart.turn":{en:"Turn",de:"Runde"},"conversations.lead":{en:"What was said, and what was learned from it.",de:"Was gesagt wurde, und was daraus gelernt wurde."},"conversations.views":{en:"Views",de:"Ansichten"},"conversations.list":{en:"Conversations",de:"Gespräche"},"conversations.episodes":{en:"Episodes",de:"Episoden"},"conversations.empty":{en:"No conversation yet",de:"Noch kein Gespräch"},"conversations.empty_text":{en:"Ask something here, or begin one in a terminal:",de:"Fragen Sie hier etwas, oder beginnen Sie eines im Terminal:"},"conversations.exchanges":{en:{one:"{n} exchange",other:"{n} exchanges"},de:{one:"{n} Wortwechsel",other:"{n} Wortwechsel"}},"conversations.ended":{en:"ended",de:"beendet"},"conversations.open":{en:"open",de:"offen"},"conversations.one":{en:"Conversation",de:"Gespräch"},"conversations.back":{en:"All conversations",de:"Alle Gespräche"},"conversations.learned":{en:{one:"{n} memory from it",other:"{n} memories from it"},de:{one:"{n} Erinnerung daraus",other:"{n} Erinnerungen daraus"}},"conversations.memories":{en:"What was remembered from it",de:"Was daraus behalten wurde"},"conversations.end":{en:"End the conversation",de:"Gespräch beenden"},"conversations.end_text":{en:"What follows from it is learned now. A later question begins a new conversation.",de:"Was daraus folgt, wird jetzt gelernt. Eine spätere Frage beginnt ein neues Gespräch."},"conversations.now_ended":{en:"The conversation is ended. Learning from it begins.",de:"Das Gespräch ist beendet. Jetzt wird daraus gelernt."},"conversations.forget":{en:"Erase the conversation",de:"Gespräch löschen"},"conversations.forget_text":{en:"This erases for good, with everything derived from it: exchanges: {exchanges}, memories: {memories}.",de:"Das löscht endgültig, mit allem, was davon abgeleitet ist: Wortwechsel: {exchanges}, Erinnerungen: {memories}."},"conversations.forgotten":{en:"The conversation is erased.",de:"Das Gespräch ist gelöscht."},"episodes.empty":{en:"No episode yet",de:"Noch keine Episode"},"episodes.empty_text":{en:"An episode is a task with its steps and outcome. The agent keeps one when it has solved a task with tools.",de:"Eine Episode ist eine Aufgabe mit Schritten und Ergebnis. Der Agent behält eine, wenn er eine Aufgabe mit Werkzeugen gelöst hat."},"episodes.succeeded":{en:"succeeded",de:"gelungen"},"episodes.failed":{en:"failed",de:"misslungen"},"episodes.conversation":{en:"Conversation",de:"Gespräch"},"episodes.lessons":{en:"Lessons:",de:"Lehren:"},"episodes.steps":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"episodes.forget":{en:"Erase the episode",de:"Episode löschen"},"episodes.forget_text":{en:"This erases the episode for good.",de:"Das löscht die Episode endgültig."},"episodes.forgotten":{en:"The episode is erased.",de:"Die Episode ist gelöscht."},"rules.lead":{en:"What the agent follows in each answer, and its summary of you.",de:"Woran sich der Agent in jeder Antwort hält, und seine Zusammenfassung über Sie."},"rules.add":{en:"Add a rule",de:"Regel hinzufügen"},"rules.edit":{en:"Edit the rule",de:"Regel bearbeiten"},"rules.empty":{en:"No rule yet",de:"Noch keine Regel"},"rules.empty_text":{en:"Tell the agent what it should always or never do, or add a rule here.",de:"Sagen Sie dem Agenten, was er immer oder nie tun soll, oder fügen Sie hier eine Regel hinzu."},"rules.when":{en:"When: {condition}",de:"Wenn: {condition}"},"rules.history":{en:"History",de:"Verlauf"},"rules.condition":{en:"When it applies (empty: always)",de:"Wann sie gilt (leer: immer)"},"rules.action":{en:"What to do",de:"Was zu tun ist"},"rules.saved":{en:"The rule is saved.",de:"Die Regel ist gespeichert."},"rules.forget":{en:"Erase the rule",de:"Regel löschen"},"rules.forget_text":{en:"This erases the rule for good.",de:"Das löscht die Regel endgültig."},"rules.forgotten":{en:"The rule is erased.",de:"Die Regel ist gelöscht."},"rules.topics":{en:"What is known",de:"Was bekannt ist"},"rules.no_topics":{en:"Nothing is known by topic yet.",de:"Noch ist nichts nach Themen bekannt."},"jobs.lead":{en:"What runs in the background, what waits, and what failed.",de:"Was im Hintergrund läuft, was wartet und was fehlgeschlagen ist."},"jobs.filter":{en:"State",de:"Stand"},"jobs.all":{en:"all",de:"alle"},"jobs.empty":{en:"No job",de:"Kein Auftrag"},"jobs.none":{en:"No job in this state",de:"Kein Auftrag in diesem Stand"},"jobs.empty_text":{en:"Jobs follow each answer: they record it and learn from it.",de:"Aufträge folgen auf jede Antwort: Sie zeichnen sie auf und lernen daraus."},"jobs.attempt":{en:"attempt {n}",de:"Versuch {n}"},"jobs.retry":{en:"Run again",de:"Noch einmal ausführen"},"jobs.retry_done":{en:"The job runs again.",de:"Der Auftrag läuft noch einmal."},"jobs.cancel":{en:"Cancel the job",de:"Auftrag abbrechen"},"jobs.cancel_done":{en:"The job is cancelled.",de:"Der Auftrag ist abgebrochen."},"jobs.drop":{en:"Drop the job",de:"Auftrag verwerfen"},"jobs.drop_text":{en:"The job ({kind}) is discarded with what it was to work on. Memories stay.",de:"Der Auftrag ({kind}) wird verworfen, mit dem, was er bearbeiten sollte. Erinnerungen bleiben."},"jobs.dropped":{en:"The job is dropped.",de:"Der Auftrag ist verworfen."},"jobs.embedding":{en:"The embedding model is being changed: {scopes} scopes with {records} records remain.",de:"Das Einbettungsmodell wird gewechselt: {scopes} Bereiche mit {records} Einträgen stehen aus."},"job.reward":{en:"learning",de:"Lernen"},"job.reembed":{en:"embedding",de:"Einbettung"},"job.profile":{en:"profile",de:"Profil"},"job.reflect":{en:"reflection",de:"Reflexion"},"job.consolidate":{en:"consolidation",de:"Zusammenführung"},"job.compact":{en:"summary",de:"Zusammenfassung"},"job.episode":{en:"episode",de:"Episode"},"job.promote":{en:"conversation's end",de:"Ende des Gesprächs"},"job.insight":{en:"insight",de:"Einsicht"},"job.retain":{en:"clearing out",de:"Aufräumen"},"learning.lead":{en:"The ranking learns from which memories an answer cites.",de:"Die Reihenfolge lernt daraus, welche Erinnerungen eine Antwort nennt."},"learning.empty":{en:"Nothing learned yet",de:"Noch nichts gelernt"},"learning.empty_text":{en:"The ranking learns when an answer cites its memories.",de:"Die Reihenfolge lernt, wenn eine Antwort ihre Erinnerungen nennt."},"learning.early":{en:"It is too early to say whether learning helps. That needs {needed} answers for which the learned order and that of retrieval differ; so far the learned order was better in {won} and worse in {lost}.",de:"Ob das Lernen hilft, ist noch nicht zu sagen. Nötig sind {needed} Antworten, für die sich die gelernte Reihenfolge unterscheidet; bisher war sie in {won} besser und in {lost} schlechter."},"learning.helps":{en:"Learning helps: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.no_help":{en:"Learning does not help so far: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft bisher nicht: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.off":{en:"Nothing was learned from the last answer: a setting switches it off here.",de:"Aus der letzten Antwort wurde nichts gelernt: Eine Einstellung schaltet das hier ab."},"learning.turns":{en:{one:"answer",other:"answers"},de:{one:"Antwort",other:"Antworten"}},"learning.updates":{en:"updates",de:"Anpassungen"},"learning.trust":{en:"trust in the learned order",de:"Vertrauen in die gelernte Reihenfolge"},"learning.citations":{en:"Citations",de:"Nennungen"},"learning.rewards":{en:"Reward",de:"Belohnung"},"learning.weights":{en:"Weights in time",de:"Gewichte im Lauf der Zeit"},"learning.citation_rate":{en:"citation rate",de:"Anteil der Genannten"},"learning.mrr_shown":{en:"reciprocal rank of the first cited",de:"Kehrwert des Rangs der ersten Genannten"},"learning.reward":{en:"reward",de:"Belohnung"},"learning.weight_norm":{en:"weight norm",de:"Norm der Gewichte"},"learning.means":{en:"Citation rate, rank and reward are means of {n} turns.",de:"Anteil, Rang und Belohnung sind Mittel über {n} Runden."},"learning.features":{en:"Learned weights",de:"Gelernte Gewichte"},"erasures.lead":{en:"Whether memory is used, what is erased, and the proof that it is gone.",de:"Ob Erinnerungen benutzt werden, was gelöscht wird, und der Nachweis, dass es fort ist."},"erasures.switches":{en:"Use of memory",de:"Gebrauch der Erinnerung"},"erasures.read":{en:"Recall",de:"Abrufen"},"erasures.read_text":{en:"Answers may rest on what was remembered. Off: nothing is shown or recalled.",de:"Antworten dürfen auf Erinnerungen beruhen. Aus: Nichts wird gezeigt oder abgerufen."},"erasures.write":{en:"Record",de:"Aufzeichnen"},"erasures.write_text":{en:"What you say is remembered. Off: nothing new is stored.",de:"Was Sie sagen, wird behalten. Aus: Nichts Neues wird gespeichert."},"erasures.read_on":{en:"Recall is on.",de:"Abrufen ist an."},"erasures.read_off":{en:"Recall is off.",de:"Abrufen ist aus."},"erasures.write_on":{en:"Recording is on.",de:"Aufzeichnen ist an."},"erasures.write_off":{en:"Recording is off.",de:"Aufzeichnen ist aus."},"erasures.all":{en:"Erase everything",de:"Alles löschen"},"erasures.all_text":{en:"Single memories and conversations are erased in their own panes.",de:"Einzelne Erinnerungen und Gespräche werden in ihren Bereichen gelöscht."},"erasures.collection":{en:"Erase the collection {name}",de:"Sammlung {name} löschen"},"erasures.user":{en:"Erase all collections of {name}",de:"Alle Sammlungen von {name} löschen"},"erasures.for_good":{en:"This erases for good. An undo does not bring it back.",de:"Das löscht endgültig. Kein Rückgängig bringt es wieder."},"erasures.episodes":{en:"episodes",de:"Episoden"},"erasures.conversations":{en:"conversations",de:"Gespräche"},"erasures.done":{en:"Erased. The receipt is below.",de:"Gelöscht. Die Quittung steht unten."},"erasures.receipts":{en:"Receipts",de:"Quittungen"},"erasures.empty":{en:"Nothing was erased yet",de:"Noch nichts gelöscht"},"erasures.empty_text":{en:"Each erasure leaves a receipt: what was found, removed and left in each store. It holds numbers and no text.",de:"Jede Löschung hinterlässt eine Quittung: was in jedem Speicher gefunden, entfernt und übrig ist. Sie enthält Zahlen und keinen Text."},"receipt.show":{en:"Show the receipt",de:"Quittung zeigen"},"receipt.save":{en:"Save as a file",de:"Als Datei speichern"},"level.record":{en:"Memory",de:"Erinnerung"},"level.conversation":{en:"Conversation",de:"Gespräch"},"level.collection":{en:"Collection",de:"Sammlung"},"level.user":{en:"User",de:"Benutzer"},"level.workspace":{en:"Workspace",de:"Arbeitsbereich"},"settings.lead":{en:"They hold for everyone who uses this flow. Each value is checked as you change it.",de:"Sie gelten für alle, die diesen Ablauf benutzen. Jeder Wert wird beim Ändern geprüft."},"settings.filter":{en:"Search settings",de:"Einstellungen suchen"},"settings.none":{en:"No setting has these words.",de:"Keine Einstellung enthält diese Wörter."},"settings.default":{en:"Default: {value}.",de:"Vorgabe: {value}."},"settings.range":{en:"From {low} to {high}.",de:"Von {low} bis {high}."},"settings.set":{en:"Set here.",de:"Hier gesetzt."},"settings.true":{en:"on",de:"an"},"settings.false":{en:"off",de:"aus"},"settings.empty":{en:"(empty)",de:"(leer)"},"settings.not_json":{en:"This is not a value of this setting: write a number, or JSON.",de:"Das ist kein Wert dieser Einstellung: Schreiben Sie eine Zahl oder JSON."},"settings.discard":{en:"Discard changes",de:"Änderungen verwerfen"},"settings.save":{en:{one:"Save {n} change",other:"Save {n} changes"},de:{one:"{n} Änderung speichern",other:"{n} Änderungen speichern"}},"settings.for_all":{en:"These changes hold for everyone who uses this flow.",de:"Diese Änderungen gelten für alle, die diesen Ablauf benutzen."},"settings.key":{en:"Admin key",de:"Schlüssel eines Verwalters"},"settings.key_text":{en:"It is used once and not kept. This command makes one:",de:"Er wird einmal benutzt und nicht behalten. Dieser Befehl erzeugt einen:"},"settings.saved":{en:"The settings are saved.",de:"Die Einstellungen sind gespeichert."},"health.lead":{en:"Whether every part answers, what is stored, and who has a key.",de:"Ob jeder Teil antwortet, was gespeichert ist und wer einen Schlüssel hat."},"health.again":{en:"Check again",de:"Noch einmal prüfen"},"health.parts":{en:"Parts",de:"Teile"},"health.ready":{en:"ready",de:"bereit"},"health.not_ready":{en:"not ready",de:"nicht bereit"},"health.ok":{en:"ok",de:"in Ordnung"},"health.versions":{en:"Versions",de:"Versionen"},"health.embedding":{en:"Embedding model",de:"Einbettungsmodell"},"health.nothing":{en:"Nothing yet.",de:"Noch nichts."},"health.stored":{en:"Stored",de:"Gespeichert"},"stored.turn":{en:{one:"turn",other:"turns"},de:{one:"Äußerung",other:"Äußerungen"}},"stored.semantic":{en:{one:"fact",other:"facts"},de:{one:"Fakt",other:"Fakten"}},"stored.procedural":{en:{one:"rule",other:"rules"},de:{one:"Regel",other:"Regeln"}},"stored.reflective":{en:{one:"insight",other:"insights"},de:{one:"Einsicht",other:"Einsichten"}},"stored.topic":{en:{one:"topic",other:"topics"},de:{one:"Thema",other:"Themen"}},"stored.vectors":{en:{one:"vector",other:"vectors"},de:{one:"Vektor",other:"Vektoren"}},"stored.conversations":{en:{one:"conversation",other:"conversations"},de:{one:"Gespräch",other:"Gespräche"}},"stored.invocations":{en:{one:"exchange",other:"exchanges"},de:{one:"Wortwechsel",other:"Wortwechsel"}},"health.keys":{en:"Your keys",de:"Ihre Schlüssel"},"health.no_keys":{en:"There is none. A program needs one; this command makes it:",de:"Es gibt keinen. Ein Programm braucht einen; dieser Befehl erzeugt ihn:"},"health.key":{en:"Key",de:"Schlüssel"},"health.label":{en:"Label",de:"Bezeichnung"},"health.reach":{en:"Collections",de:"Sammlungen"},"health.made":{en:"Made",de:"Erstellt"},"health.used":{en:"Last used",de:"Zuletzt benutzt"},"health.never":{en:"never",de:"nie"},"health.state":{en:"State",de:"Stand"},"health.valid":{en:"valid",de:"gültig"},"health.reads":{en:"reads only",de:"nur lesend"},"health.revoked":{en:"revoked",de:"gesperrt"},"erasures.complete":{en:"complete",de:"vollständig"},"erasures.incomplete":{en:"not complete",de:"nicht vollständig"},"erasures.removed":{en:{one:"{n} entry removed",other:"{n} entries removed"},de:{one:"{n} Eintrag entfernt",other:"{n} Einträge entfernt"}},"erasures.places":{en:"Places",de:"Orte"},"ask.lead":{en:"Each answer shows what was recalled for it, and why.",de:"Zu jeder Antwort steht, woran sich der Agent dafür erinnert hat, und warum."},"ask.new":{en:"New conversation",de:"Neues Gespräch"},"ask.empty":{en:"Tell it something, or ask",de:"Erzählen oder fragen Sie etwas"},"ask.empty_text":{en:"What you say is remembered and comes back when it matters, in this conversation and in later ones.",de:"Was Sie sagen, wird behalten und kommt wieder, wenn es zählt: in diesem Gespräch und in späteren."},"ask.question":{en:"Your question",de:"Ihre Frage"},"ask.placeholder":{en:"Ask, or say something to remember",de:"Fragen, oder etwas Merkenswertes sagen"},"ask.send":{en:"Send",de:"Senden"},"ask.recalling":{en:"Recalling …",de:"Erinnert sich …"},"ask.answering":{en:"Answering …",de:"Antwortet …"},"ask.lost":{en:"The connection was lost during the answer. The turn is finished and recorded all the same: see the conversation.",de:"Die Verbindung brach während der Antwort ab. Der Agent beantwortet die Frage trotzdem und zeichnet sie auf: siehe das Gespräch."},"ask.recalled":{en:{one:"{n} memory recalled",other:"{n} memories recalled"},de:{one:"{n} Erinnerung abgerufen",other:"{n} Erinnerungen abgerufen"}},"ask.nothing_recalled":{en:"Nothing was recalled.",de:"Es wurde nichts abgerufen."},"ask.gate":{en:"Nothing was searched for ({reason}).",de:"Es wurde nicht gesucht ({reason})."},"ask.missing":{en:"Without {part}: {reason}",de:"Ohne {part}: {reason}"},"ask.rests":{en:{one:"rests on {n} memory",other:"rests on {n} memories"},de:{one:"beruht auf {n} Erinnerung",other:"beruht auf {n} Erinnerungen"}},"ask.rests_on_none":{en:"cites no memory",de:"nennt keine Erinnerung"},"ask.useful":{en:"The cited memories were useful",de:"Die genannten Erinnerungen waren nützlich"},"ask.useless":{en:"The cited memories were not useful",de:"Die genannten Erinnerungen waren nicht nützlich"},"ask.rated":{en:{one:"Noted for {n} memory. The ranking learns from it.",other:"Noted for {n} memories. The ranking learns from it."},de:{one:"Notiert für {n} Erinnerung. Die Reihenfolge lernt daraus.",other:"Notiert für {n} Erinnerungen. Die Reihenfolge lernt daraus."}},"ask.score":{en:"score {score}",de:"Wertung {score}"},"ask.rank_before":{en:"rank {rank} before learning",de:"vor dem Lernen Rang {rank}"},"ask.cited":{en:"cited",de:"genannt"},"ask.erased":{en:"This memory was erased.",de:"Diese Erinnerung wurde gelöscht."},"ask.thoughts":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"ask.debug":{en:"Why these and not others?",de:"Warum diese und keine anderen?"},"ask.jobs":{en:"What follows in the background",de:"Was im Hintergrund folgt"},"action.close":{en:"Close",de:"Schließen"},"memories.search":{en:"Search by meaning",de:"Nach Bedeutung suchen"},"memories.filters":{en:"Filters",de:"Filter"},"memories.filters_set":{en:{one:"{n} filter set",other:"{n} filters set"},de:{one:"{n} Filter gesetzt",other:"{n} Filter gesetzt"}},"memories.kind":{en:"Kind",de:"Art"},"memories.status":{en:"Status",de:"Status"},"memories.speaker":{en:"Speaker",de:"Sprecher"},"memories.since":{en:"From",de:"Von"},"memories.until":{en:"Until",de:"Bis"},"memories.any":{en:"Any",de:"Alle"},"memories.clear":{en:"Clear",de:"Leeren"},"memories.list":{en:"Memories",de:"Erinnerungen"},"memories.count":{en:{one:"{n} memory",other:"{n} memories"},de:{one:"{n} Erinnerung",other:"{n} Erinnerungen"}},"memories.count_more":{en:{one:"More than {n} memory",other:"More than {n} memories"},de:{one:"Mehr als {n} Erinnerung",other:"Mehr als {n} Erinnerungen"}},"memories.choose":{en:"Choose a memory",de:"Wählen Sie eine Erinnerung"},"memories.choose_text":{en:"Its text, its sources and its history are shown here.",de:"Hier stehen dann ihr Text, ihre Quellen und ihre Geschichte."},"memories.none":{en:"No memory matches",de:"Keine Erinnerung passt"},"memories.none_text":{en:"Change the filters or the search.",de:"Ändern Sie die Filter oder die Suche."},"memories.empty":{en:"Nothing is remembered yet",de:"Noch keine Erinnerungen"},"memories.empty_text":{en:"Talk to the agent here, or in a terminal:",de:"Sprechen Sie hier mit dem Agenten, oder im Terminal:"},"memory.one":{en:"The chosen memory",de:"Die gewählte Erinnerung"},"memory.close":{en:"Close",de:"Schließen"},"memory.gone":{en:"This memory does not exist",de:"Diese Erinnerung gibt es nicht"},"memory.gone_text":{en:"It was erased, or the address is wrong.",de:"Sie wurde gelöscht, oder die Adresse ist falsch."},"memory.said_by":{en:"said by {speaker}",de:"gesagt von {speaker}"},"memory.edit":{en:"Edit",de:"Bearbeiten"},"memory.undo":{en:"Undo the last change",de:"Letzte Änderung zurücknehmen"},"memory.forget":{en:"Forget …",de:"Vergessen …"},"memory.text":{en:"Text",de:"Text"},"memory.condition":{en:"When",de:"Wann"},"memory.action":{en:"What to do",de:"Was zu tun ist"},"memory.importance":{en:"Importance",de:"Wichtigkeit"},"memory.importance_of":{en:"Importance: {value}",de:"Wichtigkeit: {value}"},"memory.saved":{en:"Saved. The former version stays in the history.",de:"Gespeichert. Die frühere Fassung bleibt in der Geschichte."},"memory.undone":{en:{one:"{n} memory changed.",other:"{n} memories changed."},de:{one:"{n} Erinnerung geändert.",other:"{n} Erinnerungen geändert."}},"memory.redo":{en:"Revert",de:"Wiederherstellen"},"memory.trust":{en:"Trust",de:"Vertrauen"},"memory.uses":{en:"Times cited",de:"Zitate"},"memory.conversation":{en:"Conversation",de:"Gespräch"},"memory.superseded_by":{en:"Superseded by",de:"Überholt von"},"memory.derived_from":{en:"Derived from",de:"Abgeleitet von"},"memory.source":{en:"source {n}",de:"Quelle {n}"},"memory.id":{en:"Id",de:"Kennung"},"trust.user":{en:"the user",de:"der Benutzer"},"trust.assistant":{en:"the assistant",de:"der Assistent"},"trust.tool":{en:"a tool",de:"ein Werkzeug"},"trust.document":{en:"a document",de:"ein Dokument"},"trust.import":{en:"an import",de:"ein Import"},"memory.life":{en:"Validity and history",de:"Gültigkeit und Geschichte"},"memory.holds_from":{en:"Holds from",de:"Gilt ab"},"memory.holds_still":{en:"and holds now",de:"und gilt noch"},"memory.held_until":{en:"until",de:"bis"},"memory.now":{en:"now",de:"jetzt"},"memory.version":{en:"version {version}",de:"Fassung {version}"},"by.job":{en:"by a job",de:"von einem Auftrag"},"by.facts-service":{en:"directly",de:"direkt"},"by.manager":{en:"by a program",de:"von einem Programm"},"by.import":{en:"import",de:"Import"},"change.created":{en:"Created",de:"Angelegt"},"change.updated":{en:"Changed",de:"Geändert"},"change.superseded":{en:"Superseded",de:"Überholt"},"change.quarantined":{en:"Held back",de:"Zurückgehalten"},"change.released":{en:"Released",de:"Freigegeben"},"change.undone":{en:"Undone",de:"Zurückgenommen"},"change.restored":{en:"Restored",de:"Wiederhergestellt"},"change.forgotten":{en:"Erased",de:"Gelöscht"},"memory.forget_title":{en:"Forget this memory",de:"Diese Erinnerung vergessen"},"memory.forget_count":{en:{one:"Erase {n} memory",other:"Erase {n} memories"},de:{one:"{n} Erinnerung löschen",other:"{n} Erinnerungen löschen"}},"memory.forget_one":{en:"this memory, with its history and its vectors",de:"diese Erinnerung mit ihrer Geschichte und ihren Vektoren"},"memory.forget_derived":{en:{one:"{n} memory derived from it",other:"{n} memories derived from it"},de:{one:"{n} davon abgeleitete Erinnerung",other:"{n} davon abgeleitete Erinnerungen"}},"memory.forget_repeats":{en:{one:"{n} answer that repeats it, if chosen:",other:"{n} answers that repeat it, if chosen:"},de:{one:"{n} Antwort, die sie wiederholt, falls gewählt:",other:"{n} Antworten, die sie wiederholen, falls gewählt:"}},"memory.forget_final":{en:"This cannot be undone.",de:"Das kann nicht rückgängig gemacht werden."},"memory.erased":{en:"Erased",de:"Gelöscht"},"receipt.running":{en:"The erasure is still running. Its receipt comes with it.",de:"Die Löschung läuft noch. Der Beleg folgt."},"receipt.complete":{en:"A second search found nothing left.",de:"Eine zweite Suche fand keinen Rest."},"receipt.incomplete":{en:"Something is left. The erasure goes on.",de:"Es ist noch etwas übrig. Die Löschung geht weiter."},"receipt.place":{en:"Place",de:"Ort"},"receipt.found":{en:"Found",de:"Gefunden"},"receipt.removed":{en:"Removed",de:"Entfernt"},"receipt.left":{en:"Left",de:"Übrig"},"place.graph.facts":{en:"memories",de:"Erinnerungen"},"place.graph.episodes":{en:"episodes",de:"Episoden"},"place.graph.conversations":{en:"conversations",de:"Gespräche"},"place.graph.invocations":{en:"exchanges",de:"Wortwechsel"},"place.graph.refinements":{en:"revised drafts",de:"überarbeitete Entwürfe"},"place.vectors.facts":{en:"vectors of memories",de:"Vektoren von Erinnerungen"},"place.vectors.episodes":{en:"vectors of episodes",de:"Vektoren von Episoden"},"place.jobs":{en:"jobs",de:"Aufträge"},"place.weights":{en:"learned weights",de:"gelernte Gewichte"},"place.switches":{en:"switches",de:"Schalter"},"place.keys":{en:"keys of waiting jobs",de:"Schlüssel wartender Aufträge"},"files.pending":{en:"The files of the stores are rewritten in the background.",de:"Die Dateien der Speicher werden im Hintergrund neu geschrieben."},"files.rewritten":{en:"The files of the stores were rewritten.",de:"Die Dateien der Speicher wurden neu geschrieben."},"recall.lead":{en:"Why a memory is recalled for a question, or is not.",de:"Warum eine Erinnerung zu einer Frage abgerufen wird, oder nicht."},"recall.question":{en:"Question",de:"Frage"},"recall.limit":{en:"Shown",de:"Gezeigt"},"recall.candidates":{en:"Candidates",de:"Kandidaten"},"recall.rerank":{en:"Reranking",de:"Neuordnung"},"recall.rerank_default":{en:"as set",de:"wie eingestellt"},"recall.explain":{en:"Explain",de:"Erklären"},"rerank.off":{en:"off",de:"aus"},"rerank.paper":{en:"paper",de:"paper"},"rerank.calibrated":{en:"calibrated",de:"calibrated"},"recall.empty":{en:"Put a question",de:"Stellen Sie eine Frage"},"recall.empty_text":{en:"You see its candidates, how the learned ranking orders them, and what each score is made of. Nothing is stored.",de:"Sie sehen die Kandidaten, wie die gelernte Reihenfolge sie ordnet, und woraus sich jede Wertung zusammensetzt. Es wird nichts gespeichert."},"recall.summary":{en:{one:"{n} candidate",other:"{n} candidates"},de:{one:"{n} Kandidat",other:"{n} Kandidaten"}},"recall.policy":{en:"learned weights, version {version}",de:"gelernte Gewichte, Fassung {version}"},"recall.no_policy":{en:"no learned weights yet",de:"noch keine gelernten Gewichte"},"recall.took":{en:"{ms} ms",de:"{ms} ms"},"recall.unranked":{en:"The learned weights were not used: {reason}",de:"Die gelernten Gewichte wurden nicht benutzt: {reason}"},"recall.abstained":{en:"No memory is similar enough to the question, so nothing would be shown.",de:"Keine Erinnerung ist der Frage ähnlich genug. Es würde nichts gezeigt."},"recall.nothing":{en:"There is nothing to recall",de:"Es gibt nichts abzurufen"},"recall.nothing_text":{en:"This collection has no memories of these kinds.",de:"Diese Sammlung hat keine solchen Erinnerungen."},"recall.shown":{en:"Shown to the model: {n}",de:"Dem Modell gezeigt: {n}"},"recall.shown_text":{en:"These would stand in the prompt, in this order.",de:"Diese stünden im Prompt, in dieser Reihenfolge."},"recall.cut":{en:"Left out, because better ones fill the prompt: {n}",de:"Ausgelassen, weil bessere den Prompt füllen: {n}"},"recall.cut_text":{en:"A larger number of shown memories would include them.",de:"Wären mehr Erinnerungen gezeigt, wären sie dabei."},"recall.folded":{en:"Folded into others: {n}",de:"Mit anderen zusammengelegt: {n}"},"recall.folded_text":{en:"Another memory says the same and takes the place.",de:"Eine andere Erinnerung sagt dasselbe und nimmt den Platz ein."},"recall.dissimilar":{en:"Not similar enough: {n}",de:"Nicht ähnlich genug: {n}"},"recall.dissimilar_text":{en:"They are below the similarity floor of the embedding model.",de:"Sie liegen unter der Ähnlichkeitsschwelle des Einbettungsmodells."},"recall.state_shown":{en:"shown",de:"gezeigt"},"recall.state_cut":{en:"left out",de:"ausgelassen"},"recall.state_folded":{en:"folded",de:"zusammengelegt"},"recall.state_dissimilar":{en:"not similar",de:"nicht ähnlich"},"recall.folded_into":{en:"It shares a source with:",de:"Gemeinsame Quelle mit:"},"recall.folded_repeat":{en:"It repeats what another memory says.",de:"Sie wiederholt, was eine andere Erinnerung sagt."},"recall.rose":{en:{one:"up {n} place",other:"up {n} places"},de:{one:"{n} Platz aufgestiegen",other:"{n} Plätze aufgestiegen"}},"recall.fell":{en:{one:"down {n} place",other:"down {n} places"},de:{one:"{n} Platz abgestiegen",other:"{n} Plätze abgestiegen"}},"recall.before":{en:"Before",de:"Vorher"},"recall.after":{en:"After",de:"Nachher"},"recall.share":{en:"Share",de:"Anteil"},"recall.why":{en:{one:"{n} feature adds to it",other:"{n} features add to it"},de:{one:"{n} Merkmal trägt bei",other:"{n} Merkmale tragen bei"}},"recall.rules":{en:{one:"{n} rule that applies",other:"{n} rules that apply"},de:{one:"{n} Regel, die gilt",other:"{n} Regeln, die gelten"}},"feature.text":{en:"similar text",de:"ähnlicher Text"},"feature.context":{en:"similar context",de:"ähnlicher Zusammenhang"},"feature.nearest":{en:"nearest of text and context",de:"nächstes von Text und Zusammenhang"},"feature.retrieval":{en:"retrieval",de:"Suche"},"feature.vector":{en:"learned vector",de:"gelernter Vektor"},"feature.matrix":{en:"learned matrices",de:"gelernte Matrizen"},"feature.late":{en:"similar words",de:"ähnliche Wörter"},"feature.words":{en:"words in it",de:"Wörter darin"},"feature.words_context":{en:"words near it",de:"Wörter daneben"},"feature.words_wide":{en:"words around it",de:"Wörter ringsum"},"feature.covered":{en:"words covered",de:"abgedeckte Wörter"},"feature.text_before":{en:"turn before",de:"Äußerung davor"},"feature.text_after":{en:"turn after",de:"Äußerung danach"},"feature.context_after":{en:"context after",de:"Zusammenhang danach"},"feature.context_later":{en:"context later",de:"späterer Zusammenhang"},"feature.session_text":{en:"conversation: text",de:"Gespräch: Text"},"feature.session_context":{en:"conversation: context",de:"Gespräch: Zusammenhang"},"feature.session_words":{en:"conversation: words",de:"Gespräch: Wörter"},"feature.linked_text":{en:"linked: text",de:"verknüpft: Text"},"feature.linked_words":{en:"linked: words",de:"verknüpft: Wörter"},"feature.speaker":{en:"speaker",de:"Sprecher"},"feature.question":{en:"is a question",de:"ist eine Frage"},"feature.length":{en:"length",de:"Länge"},"feature.time_asked":{en:"tells a time, as asked",de:"nennt eine Zeit, wie gefragt"},"feature.time_unasked":{en:"tells a time",de:"nennt eine Zeit"},"feature.number_asked":{en:"tells a number, as asked",de:"nennt eine Zahl, wie gefragt"},"feature.date":{en:"date",de:"Datum"},"feature.entities":{en:"names",de:"Namen"},"feature.recency":{en:"recency",de:"Aktualität"},"feature.importance":{en:"importance",de:"Wichtigkeit"},"feature.uses":{en:"times cited",de:"Zitate"}};var dt={en:"English",de:"Deutsch"},Kn="react-mem-language";function po(){let e=localStorage.getItem(Kn);return e in dt?e:navigator.languages.map(t=>t.slice(0,2)).find(t=>t in dt)??"en"}var G=E(po());function Jn(e){localStorage.setItem(Kn,e),G.value=e}function i(e,t={}){let n=Bt[e]?.[G.value];return n===void 0?e:(typeof n=="string"?n:n[new Intl.PluralRules(G.value).select(t.n)]??n.other).replace(/\{(\w+)\}/g,(s,o)=>o in t?ho(t[o]):s)}function ho(e){return typeof e=="number"?e.toLocaleString(G.value):String(e)}function V(e,t=!1){let n=Math.abs(e).toLocaleString(G.value,{minimumFractionDigits:2,maximumFractionDigits:2});return(e<0&&Number(e.toFixed(2))!==0?"−":t?"+":"")+n}var x=(e,t,n={})=>Bt[`${e}.${t}`]?i(`${e}.${t}`,n):t;var Zn=["turn","semantic","procedural","reflective","topic"],Qn=["active","superseded","quarantined","undone"];function H({tone:e="",children:t}){return l`<span class=${`badge ${e}`}>${t}</span>`}var ee=({kind:e})=>l`<${H} tone=${`kind-${e}`}>${x("kind",e)}<//>`,fo={active:"good",succeeded:"good",running:"warm",pending:"warm",quarantined:"warm",failed:"bad"},de=({status:e})=>l`<${H} tone=${fo[e]??""}>${x("status",e)}<//>`;function ut(e){return Object.entries(e??{}).map(([n,r])=>({name:n,value:Number(r)})).filter(n=>Math.abs(n.value)>=.005).sort((n,r)=>Math.abs(r.value)-Math.abs(n.value))}function Ae({why:e,most:t,limit:n=20}){let r=ut(e).slice(0,n),s=t??Math.max(.01,...r.map(o=>Math.abs(o.value)));return l`<ul class="bars">
    ${r.map(({name:o,value:a})=>{let c=Math.min(1,Math.abs(a)/s)*50,d=a<0?{left:`${50-c}%`,width:`${c}%`}:{left:"50%",width:`${c}%`};return l`<li>
        <span class="bar-name">${x("feature",o)}</span>
        <span class="bar-track" aria-hidden="true"><span class=${a<0?"bar minus":"bar"} style=${d}></span></span>
        <span class="bar-value">${V(a,!0)}</span>
      </li>`})}
  </ul>`}function re({title:e,close:t,wide:n=!1,children:r}){let s=z(null);return P(()=>(s.current.showModal(),()=>s.current?.close()),[]),l`<dialog ref=${s} class=${n?"dialog dialog-wide":"dialog"} aria-labelledby="dialog-title" onClose=${t}>
    <h2 id="dialog-title">${e}</h2>
    ${r}
  </dialog>`}function K({title:e,children:t,label:n,typed:r="",act:s,done:o,close:a}){let[c,d]=$({busy:!1,error:""}),[m,u]=$("");return l`<${re} title=${e} close=${a}>
    <form onSubmit=${async h=>{h.preventDefault(),d({busy:!0,error:""});try{let p=await s();a(),o?.(p)}catch(p){d({busy:!1,error:p.message||i("state.unreachable")})}}}>
      ${t}
      ${r&&l`<label class="field">
        <span>${i("confirm.type",{word:r})}</span>
        <input value=${m} onInput=${h=>u(h.target.value)} autocomplete="off" />
      </label>`}
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${a}>${i("action.cancel")}</button>
        <button type="submit" class="button danger" disabled=${c.busy||r&&m!==r}>${n}</button>
      </div>
    </form>
  <//>`}var mt=E(null),go=6e3;function M(e,t){let n={text:e,action:t};mt.value=n,setTimeout(()=>Xn(n),go)}var Xn=e=>{mt.value===e&&(mt.value=null)};function Yn(){let e=mt.value;return l`<div class="notices" role="status">
    ${e&&l`<div class="notice">
      <span>${e.text}</span>
      ${e.action&&l`<button
        type="button"
        class="button quiet"
        onClick=${()=>{Xn(e),e.action.act()}}
      >
        ${e.action.label}
      </button>`}
    </div>`}
  </div>`}var $o={ask:"M4 5h16v11H9l-5 4z",memories:"M5 4h11l3 3v13H5zM9 11h6M9 15h6",recall:"M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",conversations:"M4 5h12v8H8l-4 3zM9 16h7l4 3v-9h-2",rules:"M5 6h14M5 12h14M5 18h9M3 6h0M3 12h0M3 18h0",jobs:"M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",learning:"M4 19V5M4 19h16M7 15l4-5 3 3 5-7",erasures:"M6 7h12M9 7V4h6v3M8 7l1 13h6l1-13",settings:"M4 7h10M18 7h2M4 17h2M10 17h10M16 9V5M8 19v-4",health:"M3 12h4l2-6 4 12 2-6h6",menu:"M4 7h16M4 12h16M4 17h16",send:"M5 12h13M12 6l6 6-6 6",up:"M7 21V10l4-7c2 0 2.5 1.5 2 3.5L12.500 10H19l-1.500 11zM7 10H4v11h3",down:"M17 3v11l-4 7c-2 0-2.500-1.500-2-3.500L11.500 14H5L6.500 3zM17 14h3V3h-3",close:"M6 6l12 12M18 6 6 18"},oe=({name:e})=>l`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${$o[e]??""} /></svg>`;function R({title:e,lead:t,actions:n,wide:r=!1,children:s}){return l`<div class=${r?"page page-wide":"page"}>
    <header class="page-head">
      <div>
        <h1 tabindex="-1">${e}</h1>
        ${t&&l`<p class="lead">${t}</p>`}
      </div>
      ${n&&l`<div class="actions">${n}</div>`}
    </header>
    ${s}
  </div>`}function X({lines:e=4}){let t=[92,78,85,64,88,71];return l`<div class="loading" role="status">
    <span class="unseen">${i("state.loading")}</span>
    ${Array.from({length:e},(n,r)=>l`<span class="skeleton" style=${{width:`${t[r%6]}%`}}></span>`)}
  </div>`}function C({title:e,text:t,command:n,children:r}){return l`<div class="empty">
    <${_o} />
    <h2>${e}</h2>
    ${t&&l`<p>${t}</p>`} ${n&&l`<p><code>${n}</code></p>`} ${r}
  </div>`}function _o(){return l`<svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true" class="mark">
    <path d="M8 24V14a8 8 0 0 1 16 0v10M24 14a8 8 0 0 1 16 0v10" />
    <circle cx="8" cy="24" r="4" /><circle cx="24" cy="24" r="4" /><circle cx="40" cy="24" r="4" />
  </svg>`}function se({error:e,retry:t}){let n=e.status===0||!e.message?i("state.unreachable"):e.message;return l`<div class="failure" role="alert">
    <div>
      <strong>${i("state.failed")}</strong>
      <p>${n}</p>
    </div>
    ${t&&l`<button type="button" class="button" onClick=${t}>${i("action.retry")}</button>`}
  </div>`}var er="urn:trustgraph:memory:recalled",tr="urn:trustgraph:memory:cited";function nr(e){return E({question:e,at:new Date().toISOString(),thoughts:[],answer:"",recalled:null,cited:null,jobs:[],error:"",ended:!1,open:""})}function rr(e,t){let n={...e},r=t.message_type,s=t.content??"";if(r==="explain")for(let[o,a]of vo(t))o===er&&(n.recalled=a),o===tr&&(n.cited=a);else if(r==="answer")n.answer+=s,t.end_of_message&&!t.end_of_dialog&&(n.answer="");else if(r==="thought"||r==="observation"||r==="action"){let o=e.open===r,a=o?e.thoughts.at(-1):{kind:r,text:""};n.thoughts=[...o?e.thoughts.slice(0,-1):e.thoughts,{kind:r,text:a.text+s}]}return r!=="explain"&&(n.open=t.end_of_message?"":r),t.end_of_dialog&&(n.ended=!0,n.tokens=(t.in_token??0)+(t.out_token??0),n.model=t.model??""),n}function vo(e){let t=[];for(let{p:n,o:r}of e.explain_triples??[])if(!(n?.i!==er&&n?.i!==tr))try{t.push([n.i,JSON.parse(r.v)])}catch{continue}return t}function or(e,t){let n=e.recalled?.memories??[];if(!n.some(s=>s.id===t))return e;let r=n.map(s=>s.id===t?{...s,content:"",why:{},erased:!0}:s);return{...e,recalled:{...e.recalled,memories:r}}}function sr(e,t){let n=t.kind.slice(4),r={id:t.job_id,kind:t.job_kind,status:n,error:t.error??""},s=e.jobs.some(o=>o.id===r.id);return{...e,jobs:s?e.jobs.map(o=>o.id===r.id?r:o):[...e.jobs,r]}}var Vt="/ui/",pt=E(location.pathname+location.search);function bo(e){try{return decodeURIComponent(e)}catch{return e}}var J=xe(()=>{let[e,t=""]=pt.value.split("?"),[n="",...r]=e.slice(Vt.length).split("/").filter(Boolean).map(bo);return{pane:n,rest:r,query:new URLSearchParams(t)}});function w(e,t={}){let n=Object.entries(t).filter(([,s])=>s),r=n.length?`?${new URLSearchParams(n)}`:"";return Vt+e.map(encodeURIComponent).join("/")+r}function Z(e,{replace:t=!1}={}){e!==pt.value&&(history[t?"replaceState":"pushState"](null,"",e),pt.value=e)}addEventListener("popstate",()=>{pt.value=location.pathname+location.search});addEventListener("click",e=>{let t=e.target instanceof Element?e.target.closest("a[href]"):null,n=e.button===0&&!e.metaKey&&!e.ctrlKey&&!e.shiftKey&&!e.altKey;!t||!n||t.target||t.origin!==location.origin||!t.pathname.startsWith(Vt)||t.pathname.includes(".")||t.hash||(e.preventDefault(),Z(t.pathname+t.search))});var yo=[["year",31536e3],["month",2592e3],["week",604800],["day",86400],["hour",3600],["minute",60]],wo=()=>navigator.languages.find(e=>e.slice(0,2)===G.value)??G.value;function ir(e,t=Date.now(),n=G.value){let r=(new Date(e)-t)/1e3,s=new Intl.RelativeTimeFormat(n,{numeric:"auto"});for(let[o,a]of yo)if(Math.abs(r)>=a)return s.format(Math.trunc(r/a),o);return s.format(0,"second")}function be(e,t=wo()){return new Date(e).toLocaleString(t,{dateStyle:"medium",timeStyle:"short"})}function T({at:e,both:t=!1}){if(!e||Number.isNaN(new Date(e).getTime()))return null;let n=be(e);return l`<time datetime=${e} title=${n}>${t?`${n} (${ir(e)})`:ir(e)}</time>`}var Y=E([]),Kt=E(ar());function ar(){return`ui-${crypto.randomUUID()}`}ve(["job."],e=>{let t=Y.value.at(-1);t&&e.kind!=="lost"&&(t.value=sr(t.value,e))});function lr(){Y.value=[],Kt.value=ar()}ve(["memory.forgotten"],e=>{if(e.kind!=="lost"){(e.all||e.record_id===Kt.value)&&lr();for(let t of Y.value)t.value=or(t.value,e.record_id)}});async function ko(e){let t=nr(e);Y.value=[...Y.value,t];let n={question:e,conversation_id:Kt.value};try{await Bn(n,r=>{t.value=rr(t.value,r)})}catch(r){t.value={...t.value,ended:!0,error:r.message==="lost"?i("ask.lost"):r.message||i("state.unreachable")}}}function cr(){let e=Y.value.length>0&&l`<button type="button" class="button" onClick=${lr}>${i("ask.new")}</button>`;return l`<${R} title=${i("pane.ask")} lead=${i("ask.lead")} actions=${e}>
    ${Y.value.length===0&&l`<${C} title=${i("ask.empty")} text=${i("ask.empty_text")} />`}
    <ol class="turns">
      ${Y.value.map((t,n)=>l`<${So} key=${t} turn=${t} last=${n===Y.value.length-1} />`)}
    </ol>
    <${xo} busy=${Y.value.length>0&&!Y.value.at(-1).value.ended} />
  <//>`}function xo({busy:e}){let[t,n]=$(""),r=z(null),s=a=>{a.preventDefault();let c=t.trim();!c||e||(n(""),ko(c),r.current?.focus())},o=a=>{a.key==="Enter"&&!a.shiftKey&&!a.isComposing&&s(a)};return l`<form class="composer" onSubmit=${s}>
    <label class="unseen" for="question">${i("ask.question")}</label>
    <textarea
      id="question"
      ref=${r}
      rows="2"
      placeholder=${i("ask.placeholder")}
      value=${t}
      onInput=${a=>n(a.target.value)}
      onKeyDown=${o}
    ></textarea>
    <button type="submit" class="button primary" disabled=${e||!t.trim()}><${oe} name="send" />${i("ask.send")}</button>
  </form>`}function So({turn:e,last:t}){let{question:n,at:r,recalled:s,cited:o,answer:a,error:c,ended:d,thoughts:m,jobs:u}=e.value,f=z(null);P(()=>{t&&f.current?.scrollIntoView({block:"end"})},[t,d]);let h=s?.memories??[],p=o?.indices??[];return l`<li class="turn" ref=${f}>
    <div class="said"><p>${n}</p><${T} at=${r} /></div>
    <div class="card reply">
      <${Eo} text=${a} ended=${d} />
      ${a?l`<p class="answer">${a}${d&&p.map(g=>l`<${To} index=${g} memory=${h[g]} />`)}</p>`:!d&&l`<p class="thinking">${s?i("ask.answering"):i("ask.recalling")}</p>`}
      ${c&&l`<p class="error" role="alert">${c}</p>`}
      ${d&&!c&&l`<${Mo} turn=${e.value} />`}
      ${s&&l`<${Ao} question=${n} recalled=${s} cited=${p} last=${t} />`}
      ${m.length>0&&l`<${Co} thoughts=${m} />`}
      ${u.length>0&&l`<${Do} jobs=${u} />`}
    </div>
  </li>`}function Eo({text:e,ended:t}){let n=t?e:e.slice(0,Math.max(e.lastIndexOf(". "),e.lastIndexOf(`
`))+1);return l`<div class="unseen" aria-live="polite">${n}</div>`}function To({index:e,memory:t}){return!t||t.erased?null:l`<a class="cite" href=${w(["memories",t.id])} title=${t.content}>${e+1}</a>`}function Mo({turn:e}){let[t,n]=$(0),r=e.cited?.ids??[],s=async a=>{try{await Promise.all(r.map(c=>U(`/v1/memories/${c}/feedback`,{rating:a}))),n(a),M(i("ask.rated",{n:r.length}))}catch(c){M(c.message||i("state.unreachable"))}},o=r.length?i("ask.rests",{n:r.length}):i("ask.rests_on_none");return l`<div class="verdict">
    <span>${o}</span>
    ${r.length>0&&l`<span class="thumbs">
      <button type="button" class="button quiet" aria-pressed=${t===1} onClick=${()=>s(1)}>
        <${oe} name="up" /><span class="unseen">${i("ask.useful")}</span>
      </button>
      <button type="button" class="button quiet" aria-pressed=${t===-1} onClick=${()=>s(-1)}>
        <${oe} name="down" /><span class="unseen">${i("ask.useless")}</span>
      </button>
    </span>`}
  </div>`}function Ao({question:e,recalled:t,cited:n,last:r}){let s=t.memories??[],o=Math.max(.01,...s.flatMap(c=>Object.values(c.why??{}).map(d=>Math.abs(Number(d))))),a=t.missing??[];if(!s.length){let c=t.gate?i("ask.gate",{reason:t.gate}):i("ask.nothing_recalled");return l`<p class="quiet-line">${c}</p>`}return l`<details class="recalled" open=${r||void 0}>
    <summary>${i("ask.recalled",{n:s.length})}</summary>
    ${a.map(c=>l`<p class="warning">${i("ask.missing",{part:c.part,reason:c.reason})}</p>`)}
    <ol>
      ${s.map((c,d)=>l`<li class=${n.includes(d)?"memory cited":"memory"}>
          <span class="number">${d+1}</span>
          <div>
            ${c.erased?l`<p class="quiet-line">${i("ask.erased")}</p>`:l`<p class="clipped"><a href=${w(["memories",c.id])}>${c.content}</a></p>`}
            <p class="meta">
              <${ee} kind=${c.kind} />
              ${c.speaker&&l`<span>${c.speaker}</span>`} <${T} at=${c.said_at} />
              ${c.until&&l`<span>${c.until}</span>`}
              <span>${i("ask.score",{score:V(c.score)})}</span>
              ${c.rank_before>=0&&c.rank_before!==d&&l`<span>${i("ask.rank_before",{rank:c.rank_before+1})}</span>`}
              ${n.includes(d)&&l`<strong>${i("ask.cited")}</strong>`}
            </p>
            <${Ae} why=${c.why} most=${o} limit=${4} />
          </div>
        </li>`)}
    </ol>
    <p class="quiet-line"><a href=${w(["recall"],{q:e})}>${i("ask.debug")}</a></p>
  </details>`}var Co=({thoughts:e})=>l`<details class="thoughts">
  <summary>${i("ask.thoughts",{n:e.length})}</summary>
  ${e.map(t=>l`<p class=${t.kind}><strong>${x("step",t.kind)}</strong> ${t.text}</p>`)}
</details>`,Do=({jobs:e})=>l`<ul class="jobs-line" aria-label=${i("ask.jobs")}>
  ${e.map(t=>l`<li title=${t.error||void 0}>${x("job",t.kind)} <${de} status=${t.status} /></li>`)}
</ul>`;var jo=250;function D(e,t=[],n=[]){let[r,s]=$({data:void 0,error:null,loading:!0}),o=z(null),a=Tn(()=>{o.current?.abort();let c=o.current=new AbortController;s(d=>({...d,loading:!0})),e(c.signal).then(d=>c.signal.aborted||s({data:d,error:null,loading:!1}),d=>{if(c.signal.aborted)return;let m=d.status===404;s(({data:u})=>({data:m?void 0:u,error:d,loading:!1}))})},t);return P(()=>(a(),()=>o.current?.abort()),[a]),P(()=>{if(!n.length)return;let c=0,d=ve(n,()=>{clearTimeout(c),c=setTimeout(a,jo)});return()=>{clearTimeout(c),d()}},[a,n.join()]),{...r,again:a}}function I({loaded:e,children:t}){let{data:n,error:r,again:s}=e;return l`${r&&l`<${se} error=${r} retry=${s} />`}${n!==void 0?t(n):!r&&l`<${X} />`}`}function ht({label:e,columns:t,rows:n}){return l`<div class="table-wrap" tabindex="0" role="region" aria-label=${e}>
    <table class="table">
      <thead>
        <tr>${t.map(r=>l`<th scope="col">${r}</th>`)}</tr>
      </thead>
      <tbody>
        ${n.map(r=>l`<tr>${r.map(s=>l`<td>${s}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`}function Jt({shown:e,next:t,more:n}){return t?l`<p class="more"><span>${i("list.shown",{n:e})}</span> <button type="button" class="button" onClick=${n}>${i("list.more")}</button></p>`:null}var dr=50,No=200,ye=1e3;function ur(){let{query:e}=J.value;if(e.get("id"))return l`<${Lo} id=${e.get("id")} />`;let t=e.get("show")==="episodes";return l`<${R} title=${i("pane.conversations")} lead=${i("conversations.lead")}>
    <nav class="tabs" aria-label=${i("conversations.views")}>
      <a href=${w(["conversations"])} aria-current=${t?void 0:"page"}>${i("conversations.list")}</a>
      <a href=${w(["conversations"],{show:"episodes"})} aria-current=${t?"page":void 0}>${i("conversations.episodes")}</a>
    </nav>
    ${t?l`<${Wo} />`:l`<${Oo} />`}
  <//>`}function Oo(){let[e,t]=$(dr),n=D(r=>k("/v1/conversations",{limit:e},{signal:r}),[e],["job."]);return l`<${I} loaded=${n}>
    ${({results:r,next:s})=>l`
      ${!r.length&&l`<${C} title=${i("conversations.empty")} text=${i("conversations.empty_text")} command="react-mem chat" />`}
      <ol class="entries">
        ${r.map(o=>l`<${Ro} key=${o.id} conversation=${o} />`)}
      </ol>
      <${Jt} shown=${r.length} next=${e<ye&&s} more=${()=>t(Math.min(ye,e*4))} />
    `}
  <//>`}function Ro({conversation:{id:e,ended:t,metadata:n}}){let{data:r,error:s}=D(o=>k(`/v1/conversations/${encodeURIComponent(e)}`,{limit:1},{signal:o}),[e,n.last_at]);return l`<li class="card entry">
    <a class="entry-title clipped" href=${w(["conversations"],{id:e})}>${r||s?r?.exchanges?.at(-1)?.query||e:"…"}</a>
    <p class="meta">
      <${mr} ended=${t} />
      <span>${i("conversations.exchanges",{n:Number(n.turns??0)})}</span>
      <${T} at=${n.last_at} both />
    </p>
  </li>`}var mr=({ended:e})=>l`<${H} tone=${e?"":"good"}>${i(e?"conversations.ended":"conversations.open")}<//>`;function Lo({id:e}){let t=`/v1/conversations/${encodeURIComponent(e)}`,r=D(f=>Promise.all([k(t,{limit:No},{signal:f}),k("/v1/memories",{conversation_id:e,limit:ye},{signal:f})]).then(([h,p])=>({conversation:h,memories:p.results})),[e],["job.","memory."]),[s,o]=$(""),a=()=>Z(w(["conversations"])),c={end:()=>M(i("conversations.now_ended")),forget:d};function d({operation_id:f}){a(),M(i("conversations.forgotten"),{label:i("receipt.show"),act:()=>Z(w(["erasures"],{id:f}))})}let{data:m}=r,u=m&&l`
    ${!m.conversation.ended&&l`<button type="button" class="button" onClick=${()=>o("end")}>${i("conversations.end")}</button>`}
    <button type="button" class="button danger" onClick=${()=>o("forget")}>${i("conversations.forget")}</button>
  `;return l`<${R} title=${i("conversations.one")} lead=${e} actions=${u}>
    <p><a href=${w(["conversations"])}>${i("conversations.back")}</a></p>
    <${I} loaded=${r}>
      ${({conversation:f,memories:h})=>l`
        <p class="meta">
          <${mr} ended=${f.ended} /> <${T} at=${f.metadata.started_at} both />
          <span>${i("conversations.learned",{n:h.length})}</span>
        </p>
        <ol class="timeline">
          ${(f.exchanges??[]).map(p=>l`<li key=${p.id}>
              <${T} at=${p.at} both />
              <p class="asked">${p.query}</p>
              <p class="answered">${p.result}</p>
            </li>`)}
        </ol>
        ${h.length>0&&l`<${qo} memories=${h} />`}
        ${s==="end"&&l`<${K}
          title=${i("conversations.end")}
          label=${i("conversations.end")}
          act=${()=>U(`${t}/end`)}
          done=${c.end}
          close=${()=>o("")}
        ><p>${i("conversations.end_text")}</p><//>`}
        ${s==="forget"&&l`<${K}
          title=${i("conversations.forget")}
          label=${i("action.forget")}
          act=${()=>Q(t)}
          done=${c.forget}
          close=${()=>o("")}
        ><p>${i("conversations.forget_text",{exchanges:Number(f.metadata.turns??0),memories:h.length===ye?i("list.or_more",{n:ye}):h.length})}</p><//>`}
      `}
    <//>
  <//>`}var qo=({memories:e})=>l`<section>
  <h2>${i("conversations.memories")}</h2>
  <ul class="entries">
    ${e.slice(0,100).map(t=>l`<li key=${t.id} class="entry"><p><a href=${w(["memories",t.id])}>${t.memory}</a> <${ee} kind=${t.kind} /></p></li>`)}
  </ul>
</section>`;function Wo(){let[e,t]=$(dr),[n,r]=$(null),s=D(o=>k("/v1/episodes",{limit:e},{signal:o}),[e],["memory.","job."]);return l`<${I} loaded=${s}>
    ${({results:o,next:a})=>l`
      ${!o.length&&l`<${C} title=${i("episodes.empty")} text=${i("episodes.empty_text")} />`}
      <ol class="entries">
        ${o.map(c=>l`<${Io} key=${c.id} episode=${c} forget=${()=>r(c)} />`)}
      </ol>
      <${Jt} shown=${o.length} next=${e<ye&&a} more=${()=>t(Math.min(ye,e*4))} />
      ${n&&l`<${K}
        title=${i("episodes.forget")}
        label=${i("action.forget")}
        act=${()=>Q(`/v1/episodes/${encodeURIComponent(n.id)}`)}
        done=${()=>M(i("episodes.forgotten"))}
        close=${()=>{r(null),s.again()}}
      ><p>${i("episodes.forget_text")}</p><p><strong>${n.goal}</strong></p><//>`}
    `}
  <//>`}function Io({episode:e,forget:t}){return l`<li class="card entry">
    <h2>${e.goal}</h2>
    <p class="meta">
      <${H} tone=${e.succeeded?"good":"bad"}>${i(e.succeeded?"episodes.succeeded":"episodes.failed")}<//>
      <${T} at=${e.created_at} both />
      ${e.run_id&&l`<a href=${w(["conversations"],{id:e.run_id})}>${i("episodes.conversation")}</a>`}
    </p>
    ${e.outcome&&l`<p>${e.outcome}</p>`}
    ${e.lessons&&l`<p><strong>${i("episodes.lessons")}</strong> ${e.lessons}</p>`}
    ${e.steps.length>0&&l`<details><summary>${i("episodes.steps",{n:e.steps.length})}</summary>
      <ol class="steps">${e.steps.map(n=>l`<li>${n}</li>`)}</ol></details>`}
    <div class="actions"><button type="button" class="button quiet" onClick=${t}>${i("action.forget")}</button></div>
  </li>`}function pr(e){let t={};for(let[n,r]of e.flatMap(s=>Object.entries(s?.places??{}))){let s=t[n]??={found:0,removed:0,left:0};for(let o of Object.keys(s))s[o]+=Number(r[o]??0)}return e.every(n=>n?.places)?{places:t,complete:e.every(n=>n.complete)}:null}function ft({receipt:e}){let t=Object.entries(e?.places??{}).filter(([,n])=>n.found||n.left);return e?.places?l`<p class=${e.complete?"":"error"}>${e.complete?i("receipt.complete"):i("receipt.incomplete")}</p>
    ${t.length>0&&l`<table class="table">
      <thead>
        <tr>
          <th scope="col">${i("receipt.place")}</th>
          <th scope="col" class="number">${i("receipt.found")}</th>
          <th scope="col" class="number">${i("receipt.removed")}</th>
          <th scope="col" class="number">${i("receipt.left")}</th>
        </tr>
      </thead>
      <tbody>
        ${t.map(([n,r])=>l`<tr>
            <th scope="row">${x("place",n)}</th>
            <td class="number">${r.found}</td>
            <td class="number">${r.removed}</td>
            <td class="number">${r.left}</td>
          </tr>`)}
      </tbody>
    </table>`}`:l`<p>${i("receipt.running")}</p>`}var hr=200,gt=E([]);function fr(){let e=J.value.query.get("id"),t=D(n=>Po(e,n),[e],["job.","memory.forgotten"]);return l`<${R} title=${i("pane.erasures")} lead=${i("erasures.lead")}>
    <${zo} />
    <${Fo} done=${t.again} />
    <section>
      <h2>${i("erasures.receipts")}</h2>
      <${I} loaded=${t}>
        ${n=>{let r=new Set(n.map(o=>o.operation_id)),s=[...gt.value.filter(o=>!r.has(o.operation_id)),...n];return s.length?l`<ul class="entries">${s.map(o=>l`<${Uo} key=${o.operation_id} entry=${o} open=${o.operation_id===e} />`)}</ul>`:l`<${C} title=${i("erasures.empty")} text=${i("erasures.empty_text")} />`}}
      <//>
    </section>
  <//>`}async function Po(e,t){let[n,r]=await Promise.all([k("/v1/receipts",{limit:hr},{signal:t}),k("/v1/operations",{kind:"forget",limit:hr},{signal:t})]),s=new Map(r.results.map(c=>[c.id,c.updated_at])),o=n.results.map(c=>({...c,at:s.get(c.operation_id)}));if(!e||[...o,...gt.value].some(c=>c.operation_id===e))return o;let a=await k(`/v1/receipts/${encodeURIComponent(e)}`,{},{signal:t}).catch(c=>{if(c.status===404)return null;throw c});return a?[a,...o]:o}function zo(){let e=D(s=>k("/v1/switches",{},{signal:s})),[t,n]=$(null),r=async(s,o)=>{try{n(await at("/v1/switches",{[s]:o})),M(i(`erasures.${s}_${o?"on":"off"}`))}catch(a){M(a.message||i("state.unreachable")),e.again()}};return l`<section class="card entry">
    <h2>${i("erasures.switches")}</h2>
    <${I} loaded=${e}>
      ${s=>["read","write"].map(o=>l`<label class="switch">
          <input type="checkbox" role="switch" checked=${(t??s)[o]==="on"} onChange=${a=>r(o,a.target.checked)} />
          <span><strong>${i(`erasures.${o}`)}</strong><br /><span class="quiet-line">${i(`erasures.${o}_text`)}</span></span>
        </label>`)}
    <//>
  </section>`}function Fo({done:e}){let{user:t,collections:n}=O.value,[r,s]=$(null),o=async(d,m)=>{try{s({level:d,name:m,counts:d==="collection"?await Go(m):[]})}catch(u){M(u.message||i("state.unreachable"))}},a=d=>{d.receipt?.places&&(gt.value=[{...d,at:new Date().toISOString()},...gt.value]),M(i("erasures.done")),e()},c=n[0]??"default";return l`<section class="card entry">
    <h2>${i("erasures.all")}</h2>
    <p class="quiet-line">${i("erasures.all_text")}</p>
    <div class="actions">
      <button type="button" class="button danger" onClick=${()=>o("collection",c)}>${i("erasures.collection",{name:c})}</button>
      ${!n.length&&l`<button type="button" class="button danger" onClick=${()=>o("user",t)}>${i("erasures.user",{name:t})}</button>`}
    </div>
    ${r&&l`<${K}
      title=${i(`erasures.${r.level}`,{name:r.name})}
      label=${i("action.forget")}
      typed=${r.name}
      act=${()=>Q("/v1/memories",r.level==="collection"?{collection:r.name}:{user_id:r.name})}
      done=${a}
      close=${()=>s(null)}
    >
      <p>${i("erasures.for_good")}</p>
      <ul class="tiles">${r.counts.map(([d,m])=>l`<li><strong>${m}</strong> ${d}</li>`)}</ul>
    <//>`}
  </section>`}async function Go(e){let{memories:t,episodes:n,conversations:r}=await k("/v1/stats",{collection:e});return[...Object.entries(t).filter(([o,a])=>!["vectors","embedding"].includes(o)&&Number(a)).map(([o,a])=>[x("kind",o),a]),[i("erasures.episodes"),n.episodes??0],[i("erasures.conversations"),r.conversations??0]]}function Uo({entry:e,open:t}){let{operation_id:n,receipt:r,at:s}=e,o=d=>Object.values(r.places??{}).reduce((m,u)=>m+Number(u[d]??0),0),a=r.complete??!o("left"),c=`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({operation_id:n,at:s,receipt:r},null,1))}`;return l`<li class="card entry">
    <p class="meta">
      <strong>${x("level",r.level)}</strong>
      <${H} tone=${a?"good":"warm"}>${i(a?"erasures.complete":"erasures.incomplete")}<//>
      <span>${i("erasures.removed",{n:o("removed")})}</span>
      <${T} at=${s} both />
    </p>
    <details class="places" open=${t||void 0}>
      <summary>${i("erasures.places")}</summary>
      <${ft} receipt=${r} />
      ${r.files&&l`<p class="quiet-line">${x("files",r.files.state)}</p>`}
      ${(r.notes??[]).map(d=>l`<p class="quiet-line sentence">${d}</p>`)}
      <p class="quiet-line"><code>${n}</code> <a href=${c} download=${`receipt-${n}.json`}>${i("receipt.save")}</a></p>
    </details>
  </li>`}var Ho=["embedding"];async function Bo(e){return(await fetch("/health/ready",{signal:e})).json()}function gr(){let e=D(n=>Promise.all([Bo(n),k("/version",{},{signal:n}),k("/v1/stats",{},{signal:n}),k("/v1/keys",{},{signal:n})]).then(([r,s,o,a])=>({ready:r,version:s,stats:o,keys:a.results}))),t=l`<button type="button" class="button" disabled=${e.loading} onClick=${e.again}>${i("health.again")}</button>`;return l`<${R} title=${i("pane.health")} lead=${i("health.lead")} actions=${t}>
    <${I} loaded=${e}>
      ${({ready:n,version:r,stats:s,keys:o})=>l`
        <section class="card entry">
          <h2>${i("health.parts")}</h2>
          <p role="status"><${H} tone=${n.status==="ready"?"good":"bad"}>${i(n.status==="ready"?"health.ready":"health.not_ready")}<//></p>
          <ul class="tiles">
            ${Object.entries(n.parts).map(([a,c])=>l`<li>${a} <${H} tone=${c==="ok"?"good":"bad"}>${c==="ok"?i("health.ok"):c}<//></li>`)}
          </ul>
        </section>
        <section class="card entry">
          <h2>${i("health.versions")}</h2>
          <dl class="facts">
            <div><dt>react-mem</dt><dd>${r.version}</dd></div>
            <div><dt>${i("health.embedding")}</dt><dd>${s.memories.embedding}</dd></div>
          </dl>
        </section>
        <section class="card entry">
          <h2>${i("health.stored")}</h2>
          ${!Number(s.memories.vectors)&&!Number(s.conversations.conversations)&&l`<p class="quiet-line">${i("health.nothing")}</p>`}
          <ul class="tiles">
            ${[s.memories,s.conversations].flatMap(a=>Object.entries(a).filter(([c,d])=>!Ho.includes(c)&&Number(d)).map(([c,d])=>l`<li><strong>${d}</strong> ${x("stored",c,{n:Number(d)})}</li>`))}
          </ul>
        </section>
        <section class="card entry">
          <h2>${i("health.keys")}</h2>
          ${o.length===0?l`<p class="quiet-line">${i("health.no_keys")} <code>react-mem keys create</code></p>`:l`<${ht}
                label=${i("health.keys")}
                columns=${[i("health.key"),i("health.label"),i("health.reach"),i("health.made"),i("health.used"),i("health.state")]}
                rows=${o.map(a=>[l`<code>${a.id}</code>`,a.label,a.collections.join(", ")||i("shell.all_collections"),l`<${T} at=${a.created_at} />`,a.last_used_at?l`<${T} at=${a.last_used_at} />`:i("health.never"),l`<${H} tone=${a.revoked_at?"bad":"good"}>${i(a.revoked_at?"health.revoked":a.writes?"health.valid":"health.reads")}<//>`])}
              />`}
        </section>
      `}
    <//>
  <//>`}var Vo=200,$r=["running","pending","failed","succeeded","cancelled"];function _r(){let e=J.value.query.get("status")??"",n=D(a=>Promise.all([k("/v1/operations",{limit:Vo,status:e},{signal:a}),k("/v1/stats",{},{signal:a})]).then(([{results:c},{operations:d}])=>({jobs:c,stats:d})),[e],["job."]),[r,s]=$(null),o=async(a,c)=>{try{await U(`/v1/operations/${encodeURIComponent(a.id)}/${c}`),M(i(`jobs.${c}_done`))}catch(d){M(d.message||i("state.unreachable"))}n.again()};return l`<${R} title=${i("pane.jobs")} lead=${i("jobs.lead")}>
    <label class="field narrow"><span>${i("jobs.filter")}</span>
      <select value=${e} onChange=${a=>Z(w(["jobs"],{status:a.target.value}))}>
        <option value="">${i("jobs.all")}</option>
        ${$r.map(a=>l`<option value=${a}>${x("status",a)}</option>`)}
      </select></label>
    <${I} loaded=${n}>
      ${({jobs:a,stats:c})=>l`
        <${Ko} jobs=${a} stats=${c} />
        ${!a.length&&l`<${C} title=${i(e?"jobs.none":"jobs.empty")} text=${i("jobs.empty_text")} />`}
        <ul class="entries">
          ${a.map(d=>l`<li key=${d.id} class="card entry">
              <p class="meta"><strong>${x("job",d.kind)}</strong> <${de} status=${d.status} />
                ${d.attempt>1&&l`<span>${i("jobs.attempt",{n:d.attempt})}</span>`}
                <${T} at=${d.updated_at} both /></p>
              ${d.error&&l`<p class="error">${d.error}</p>`}
              ${d.summary&&l`<p class="quiet-line">${d.summary}</p>`}
              <p class="quiet-line"><code>${d.id}</code></p>
              <div class="actions">
                ${["failed","pending"].includes(d.status)&&l`<button type="button" class="button" onClick=${()=>o(d,"retry")}>${i("jobs.retry")}</button>`}
                ${["pending","running"].includes(d.status)&&l`<button type="button" class="button" onClick=${()=>o(d,"cancel")}>${i("jobs.cancel")}</button>`}
                ${["failed","pending"].includes(d.status)&&l`<button type="button" class="button quiet" onClick=${()=>s(d)}>${i("jobs.drop")}</button>`}
                ${d.kind==="forget"&&d.status==="succeeded"&&l`<a class="button" href=${w(["erasures"],{id:d.id})}>${i("receipt.show")}</a>`}
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    ${r&&l`<${K}
      title=${i("jobs.drop")}
      label=${i("jobs.drop")}
      act=${()=>Q(`/v1/operations/${encodeURIComponent(r.id)}`)}
      done=${()=>M(i("jobs.dropped"))}
      close=${()=>{s(null),n.again()}}
    ><p>${i("jobs.drop_text",{kind:x("job",r.kind)})}</p><//>`}
  <//>`}function Ko({jobs:e,stats:t}){let n=$r.map(r=>[r,e.filter(s=>s.status===r).length]).filter(([,r])=>r);return l`
    ${n.length>0&&l`<div class="share" aria-hidden="true">
      ${n.map(([r,s])=>l`<span class=${`share-${r}`} style=${{flexGrow:s}}></span>`)}
    </div>`}
    <ul class="tiles">
      ${n.map(([r,s])=>l`<li><strong>${s}</strong> ${x("status",r)}</li>`)}
    </ul>
    ${t.files&&l`<p class="quiet-line">${t.files}</p>`}
    ${t.former_embedding&&l`<p class="warning">${i("jobs.embedding",{scopes:t.scopes_to_embed,records:t.records_to_embed})}</p>`}
  `}var $t=640,ze=170,Fe=56,vr=30,Jo=18,Zo=20;function _t({title:e,curves:t,low:n,high:r,ends:s=["",""]}){let o=(m,u)=>Fe+($t-Fe-4)*(u>1?m/(u-1):.5),a=m=>ze-vr-(Math.min(r,Math.max(n,m))-n)/(r-n||1)*(ze-vr-Jo),c=m=>m.toLocaleString(G.value,{maximumFractionDigits:2}),d=t.filter(m=>m.values.length>0);return l`<figure class="chart card">
    <figcaption>
      <strong>${e}</strong>
      <span class="legend">
        ${d.map(({name:m,values:u},f)=>l`<span><i class=${`key key${f}`} aria-hidden="true"></i>${m}: ${c(u.at(-1))}</span>`)}
      </span>
    </figcaption>
    <svg viewBox=${`0 0 ${$t} ${ze}`} aria-hidden="true">
      ${[n,(n+r)/2,r].map(m=>l`<line x1=${Fe} x2=${$t} y1=${a(m)} y2=${a(m)} class="grid" />
          <text x=${Fe-6} y=${a(m)+4} text-anchor="end">${c(m)}</text>`)}
      ${d.map(({values:m},u)=>m.length>1?l`<polyline class=${`curve curve${u}`} points=${m.map((f,h)=>`${o(h,m.length).toFixed(1)},${a(f).toFixed(1)}`).join(" ")} />`:l`<circle class=${`dot dot${u}`} cx=${o(0,1)} cy=${a(m[0])} r="4" />`)}
      <text x=${Fe} y=${ze-4}>${s[0]}</text>
      <text x=${$t-4} y=${ze-4} text-anchor="end">${s[1]}</text>
    </svg>
    <details>
      <summary>${i("chart.table")}</summary>
      <${ht} label=${e} columns=${[i("chart.turn"),...d.map(m=>m.name)]} rows=${Qo(d,c)} />
    </details>
  </figure>`}function Qo(e,t){let n=Math.max(0,...e.map(s=>s.values.length)),r=Math.max(0,n-Zo);return Array.from({length:n-r},(s,o)=>[r+o+1,...e.map(({values:a})=>a[r+o]===void 0?"":t(a[r+o]))])}var yr=10,br=5;function Zt(e,t){let n=t==="reward"||t==="citation_rate";return e.filter(r=>t in r&&!(n&&(r.malformed||r.absent))).map(r=>Number(r[t]))}function Xo(e,t=yr){return e.map((n,r)=>{let s=e.slice(Math.max(0,r-t+1),r+1);return s.reduce((o,a)=>o+a,0)/s.length})}function wr(){let e=D(t=>k("/v1/learn",{},{signal:t}),[],["job."]);return l`<${R} title=${i("pane.learning")} lead=${i("learning.lead")}>
    <${I} loaded=${e}>${({status:t})=>l`<${es} rows=${t.rows??[]} policy=${t.policy??{}} />`}<//>
  <//>`}function Yo({won:e=0,lost:t=0,trust:n=0}){let r={won:Math.round(e),lost:Math.round(t),trust:V(n)};return e+t<br?i("learning.early",{...r,needed:br}):i(e>t?"learning.helps":"learning.no_help",r)}function es({rows:e,policy:t}){if(!e.length)return l`<${C} title=${i("learning.empty")} text=${i("learning.empty_text")} command="react-mem chat" />`;let n=c=>c?.at?be(c.at*1e3):"",r=[n(e[0]),n(e.at(-1))],s=(c,d=!0)=>({name:i(`learning.${c}`),values:d?Xo(Zt(e,c)):Zt(e,c)}),o=Zt(e,"weight_norm"),a=t.features??{};return l`
    <p>${Yo(t)}</p>
    ${!e.at(-1).learning&&l`<p class="warning">${i("learning.off")}</p>`}
    <ul class="tiles">
      <li><strong>${e.length}</strong> ${i("learning.turns",{n:e.length})}</li>
      <li><strong>${t.updates??0}</strong> ${i("learning.updates")}</li>
      <li><strong>${V(t.trust??0)}</strong> ${i("learning.trust")}</li>
    </ul>
    <${_t} title=${i("learning.citations")} curves=${[s("citation_rate"),s("mrr_shown")]} low=${0} high=${1} ends=${r} />
    <${_t} title=${i("learning.rewards")} curves=${[s("reward")]} low=${-1} high=${1} ends=${r} />
    <${_t} title=${i("learning.weights")} curves=${[s("weight_norm",!1),s("trust",!1)]} low=${0} high=${Math.max(1,...o)} ends=${r} />
    <p class="quiet-line">${i("learning.means",{n:yr})}</p>
    ${Object.keys(a).length>0&&l`<section class="card entry"><h2>${i("learning.features")}</h2><${Ae} why=${a} /></section>`}
  `}var kr=6;function xr({total:e,height:t,row:n,need:r,label:s,version:o}){let a=z(null),[c,d]=$({top:0,size:800});En(()=>{let g=a.current,b=()=>d({top:g.scrollTop,size:g.clientHeight}),_=new ResizeObserver(b);return _.observe(g),g.addEventListener("scroll",b,{passive:!0}),()=>{_.disconnect(),g.removeEventListener("scroll",b)}},[]);let m=Math.max(0,Math.floor(c.top/t)-kr),u=Math.min(e,Math.ceil((c.top+c.size)/t)+kr);P(()=>{u>m&&r(m,u-1)},[m,u,o]);let f=g=>{let b=Math.min(e-1,Math.max(0,g)),_=b*t,v=a.current;_<v.scrollTop&&(v.scrollTop=_),_+t>v.scrollTop+v.clientHeight&&(v.scrollTop=_+t-v.clientHeight),requestAnimationFrame(()=>requestAnimationFrame(()=>v.querySelector(`[data-row="${b}"] a`)?.focus()))},h=g=>{let b=Number(g.target.closest?.("[data-row]")?.dataset.row??-1),_=Math.max(1,Math.floor(c.size/t)-1),v={ArrowDown:b+1,ArrowUp:b-1,PageDown:b+_,PageUp:b-_,Home:0,End:e-1}[g.key];v===void 0||b<0||(g.preventDefault(),f(v))},p=[];for(let g=m;g<u;g+=1)p.push(l`<li
        key=${g}
        data-row=${g}
        aria-posinset=${g+1}
        aria-setsize=${e}
        style=${{transform:`translateY(${g*t}px)`,height:`${t}px`}}
      >
        ${n(g)}
      </li>`);return l`<div class="virtual" ref=${a} tabindex="0" role="region" aria-label=${s} onKeyDown=${h}>
    <ul style=${{height:`${e*t}px`}}>
      ${p}
    </ul>
  </div>`}var ie=100,ts=200,Sr=ie/2,ns=2,bt=class{constructor(t){this.filters=t,this.rows=[],this.total=0,this.complete=!1,this.error=E(null),this.version=E(0),this.loaded=E(!1),this.reading=new Map,this.cursor="",this.ended=new AbortController,this.narrowed=!!(t.speaker||t.since||t.until)}need(t,n){if(this.filters.q){this.loaded.value||this.#e("search",()=>this.#o());return}if(this.narrowed){!this.complete&&n>=this.rows.length-ie/2&&this.#e("next",()=>this.#r());return}for(let r of rs(t,n))this.rows[r*ie]===void 0&&(r===0||r*ie<this.total)&&this.reading.size<ns&&this.#e(r,()=>this.#n(r))}close(){this.ended.abort()}get#t(){let{kind:t,status:n,speaker:r,since:s,until:o}=this.filters;return{limit:ie,kind:t||void 0,status:n,speaker:r,since:vt(s),until:vt(o,1)}}#e(t,n){if(this.reading.has(t))return;let r=n().then(()=>{this.error.value=null,this.loaded.value=!0,this.reading.delete(t),this.version.value+=1},s=>{this.reading.delete(t),this.ended.signal.aborted||(this.error.value=s)});this.reading.set(t,r)}async#n(t){let n=t?String(t*ie):"",r=await k("/v1/memories",{...this.#t,cursor:n},{signal:this.ended.signal});r.results.forEach((a,c)=>{this.rows[t*ie+c]=a});let s=t*ie+r.results.length,o=(this.filters.status||"active")==="active";r.next===null?(this.total=s,this.complete=!0):this.total=Math.max(this.total,o?r.count:s+1)}async#r(){let t=await k("/v1/memories",{...this.#t,cursor:this.cursor},{signal:this.ended.signal});this.rows.push(...t.results),this.cursor=t.next??"",this.complete=t.next===null,this.total=this.rows.length+(this.complete?0:1)}async#o(){let{q:t,kind:n,speaker:r,since:s,until:o}=this.filters,a=n?n.split(","):[],c=await U("/v1/memories/search",{query:t,limit:ts,types:a},{signal:this.ended.signal}),[d,m]=[vt(s),vt(o,1)];this.rows=c.results.filter(u=>(!r||u.speaker.toLowerCase()===r.toLowerCase())&&(!d||new Date(u.created_at)>=new Date(d))&&(!m||new Date(u.created_at)<new Date(m))),this.total=this.rows.length,this.complete=!0}};function rs(e,t){let n=s=>Math.floor(Math.max(0,s)/ie),r=Array.from({length:n(t)-n(e)+1},(s,o)=>n(e)+o);return[...new Set([...r,n(t+Sr),n(e-Sr)])]}function vt(e,t=0){if(!e)return;let[n,r,s]=e.split("-").map(Number);return new Date(n,r-1,s+t).toISOString()}function Er(e,t){let[n,r]=[e,t].map(m=>m.split(/(\s+)/).filter(Boolean));if(n.length>300||r.length>300)return[{kind:"removed",text:e},{kind:"added",text:t}].filter(m=>m.text);let s=Array.from({length:n.length+1},()=>new Uint16Array(r.length+1));for(let m=n.length-1;m>=0;m-=1)for(let u=r.length-1;u>=0;u-=1)s[m][u]=n[m]===r[u]?s[m+1][u+1]+1:Math.max(s[m+1][u],s[m][u+1]);let o=[],a=(m,u)=>{let f=o.at(-1);f?.kind===m?f.text+=u:o.push({kind:m,text:u})},[c,d]=[0,0];for(;c<n.length||d<r.length;)c<n.length&&d<r.length&&n[c]===r[d]?(a("same",n[c]),c+=1,d+=1):d>=r.length||c<n.length&&s[c+1][d]>=s[c][d+1]?(a("removed",n[c]),c+=1):(a("added",r[d]),d+=1);return o}var os=["facts-service","manager","import"];function Tr({memory:e,history:t}){let n=[...t].reverse(),r=Ge(e.valid_from||e.said_at||e.created_at),s=e.valid_to?Ge(e.valid_to):null,o=["superseded","undone"].includes(e.status)?Ge(n.at(-1)?.at):null,a=Date.now(),c=[r,s,...n.map(g=>Ge(g.at))].filter(Boolean),[d,m]=[Math.min(...c),Math.max(a,...c)],u=g=>m===d?0:(g-d)/(m-d)*100,f=Math.min(s??m,o??m),h={left:`${u(r)}%`,width:`${Math.max(1,u(f)-u(r))}%`},p=!s&&!o;return l`<section class="lifeline" aria-label=${i("memory.life")}>
    <h3>${i("memory.life")}</h3>
    <p class="meta">
      ${i("memory.holds_from")} <${T} at=${new Date(r).toISOString()} both />
      ${p?l`<span>${i("memory.holds_still")}</span>`:l`<span>${i("memory.held_until")} <${T} at=${new Date(f).toISOString()} both /></span>`}
    </p>
    <div class="line" aria-hidden="true">
      <span class=${p?"held open":"held"} style=${h}></span>
      ${n.map(g=>l`<span class=${`dot ${g.change}`} style=${{left:`${u(Ge(g.at))}%`}} title=${`${x("change",g.change)} · ${be(g.at)}`}></span>`)}
    </div>
    <div class="line-ends" aria-hidden="true"><span>${be(new Date(d))}</span><span>${m===a?i("memory.now"):be(new Date(m))}</span></div>
    <ol class="changes">
      ${t.map((g,b)=>l`<${is} entry=${g} before=${t[b+1]} />`)}
    </ol>
  </section>`}var Ge=e=>e?new Date(e).getTime():null,ss=({by:e})=>os.includes(e)?x("by",e):l`<span title=${e}>${i("by.job")}</span>`;function is({entry:e,before:t}){let n=t&&t.memory!==e.memory&&e.memory;return l`<li>
    <span class=${`dot ${e.change}`} aria-hidden="true"></span>
    <div>
      <p><strong>${x("change",e.change)}</strong> <span class="meta">${i("memory.version",{version:e.version})} · <${T} at=${e.at} both />${e.by&&l` · <${ss} by=${e.by} />`}</span></p>
      ${n&&l`<p class="difference">
        ${Er(t.memory,e.memory).map(({kind:r,text:s})=>r==="removed"?l`<del>${s}</del>`:r==="added"?l`<ins>${s}</ins>`:s)}
      </p>`}
    </div>
  </li>`}var Ce=e=>`/v1/memories/${encodeURIComponent(e)}`;function Mr({id:e,close:t}){let n=async h=>{let[p,g]=await Promise.all([k(Ce(e),{},{signal:h}),k(`${Ce(e)}/history`,{},{signal:h})]);return{memory:p,history:g.results}},{data:r,error:s,again:o}=D(n,[e],["memory."]),[a,c]=$(null),[d,m]=$(!1),u=()=>{c(null),Z(t)};if(a)return l`<${re} title=${i("memory.erased")} close=${u}>
      <${ft} receipt=${pr(a)} />
      <div class="dialog-actions"><button type="button" class="button primary" onClick=${u}>${i("action.close")}</button></div>
    <//>`;let f=l`<a class="button quiet back" href=${t}><${oe} name="close" /><span>${i("memory.close")}</span></a>`;return s?.status===404&&!d?l`${f}<${C} title=${i("memory.gone")} text=${i("memory.gone_text")} />`:s&&!d?l`${f}<${se} error=${s} retry=${o} />`:r?l`${f}<${as} ...${r} again=${o} erasing=${m} erased=${c} />`:l`${f}<${X} lines=${6} />`}function as({memory:e,history:t,again:n,erasing:r,erased:s}){let[o,a]=$(""),c=()=>{a(""),n()},d=async m=>{try{let u=await U(`${Ce(m)}/undo`);M(i("memory.undone",{n:u.changed}),u.operation&&{label:i("memory.redo"),act:()=>d(u.operation)}),n()}catch(u){M(u.message||i("state.unreachable"))}};return l`<article class="memory-one">
    <p class="meta">
      <${ee} kind=${e.kind} /><${de} status=${e.status} />
      ${e.speaker&&l`<span>${i("memory.said_by",{speaker:e.speaker})}</span>`}
      <${T} at=${e.said_at||e.created_at} both />
      ${e.until&&l`<span>${e.until}</span>`}
    </p>
    <p class="memory-text">${e.memory}</p>
    ${e.condition&&l`<p class="meta">${i("memory.condition")}: ${e.condition}</p>`}
    ${o==="edit"?l`<${cs} memory=${e} done=${c} cancel=${()=>a("")} />`:O.value.writes&&l`<div class="actions">
          <button type="button" class="button" onClick=${()=>a("edit")}>${i("memory.edit")}</button>
          <button type="button" class="button" onClick=${()=>d(e.id)}>${i("memory.undo")}</button>
          <button type="button" class="button danger" onClick=${()=>a("forget")}>${i("memory.forget")}</button>
        </div>`}
    <${ls} memory=${e} />
    <${Tr} memory=${e} history=${t} />
    ${o==="forget"&&l`<${ds} memory=${e} erasing=${r} close=${()=>a("")} done=${s} />`}
  </article>`}function ls({memory:e}){let t=e.derived_from??[],n=[["memory.trust",x("trust",e.trust)],["memory.importance",V(e.importance)],["memory.uses",e.uses],e.run_id&&["memory.conversation",l`<a href=${w(["conversations"],{id:e.run_id})}>${e.run_id}</a>`],e.superseded_by&&["memory.superseded_by",l`<a href=${w(["memories",e.superseded_by])}>${e.superseded_by}</a>`],t.length&&["memory.derived_from",t.map((r,s)=>l`<a href=${w(["memories",r])}>${i("memory.source",{n:s+1})}</a> `)],["memory.id",l`<code>${e.id}</code>`]].filter(Boolean);return l`<dl class="facts">
    ${n.map(([r,s])=>l`<div><dt>${i(r)}</dt><dd>${s}</dd></div>`)}
  </dl>`}function cs({memory:e,done:t,cancel:n}){let r=e.kind==="procedural",[s,o]=$({text:e.memory,condition:e.condition,action:e.action,importance:e.importance}),[a,c]=$({busy:!1,error:""}),d=u=>f=>o({...s,[u]:f.target.value});return l`<form class="edit" onSubmit=${async u=>{u.preventDefault();let f={text:e.memory,condition:e.condition,action:e.action},h=Object.fromEntries(Object.entries(f).flatMap(([p,g])=>s[p].trim()&&s[p]!==g?[[p,s[p]]]:[]));if(Number(s.importance)!==e.importance&&(h.importance=Number(s.importance)),!Object.keys(h).length)return n();c({busy:!0,error:""});try{await lt(Ce(e.id),h,{headers:{"If-Match":`"${e.version}"`}}),M(i("memory.saved")),t()}catch(p){c({busy:!1,error:p.message||i("state.unreachable")})}}}>
    ${r?l`<label class="field"><span>${i("memory.condition")}</span><textarea rows="2" value=${s.condition} onInput=${d("condition")}></textarea></label>
          <label class="field"><span>${i("memory.action")}</span><textarea rows="3" value=${s.action} onInput=${d("action")}></textarea></label>`:l`<label class="field"><span>${i("memory.text")}</span><textarea rows="4" required value=${s.text} onInput=${d("text")}></textarea></label>`}
    <label class="field"><span>${i("memory.importance_of",{value:V(Number(s.importance))})}</span>
      <input type="range" min="0" max="1" step="0.05" value=${s.importance} onInput=${d("importance")} /></label>
    ${a.error&&l`<p class="error" role="alert">${a.error}</p>`}
    <div class="actions">
      <button type="submit" class="button primary" disabled=${a.busy}>${i("action.save")}</button>
      <button type="button" class="button" onClick=${n}>${i("action.cancel")}</button>
    </div>
  </form>`}function ds({memory:e,erasing:t,close:n,done:r}){let{data:s,error:o,again:a}=D(h=>k(`${Ce(e.id)}/dependents`,{},{signal:h}),[e.id]),[c,d]=$([]);if(o)return l`<${re} title=${i("memory.forget_title")} close=${n}><${se} error=${o} retry=${a} /><//>`;if(!s)return l`<${re} title=${i("memory.forget_title")} close=${n}><${X} lines=${3} /><//>`;let m=s.repeats.filter(h=>!c.includes(h.id)),u=async()=>{let h=[];t(!0);for(let p of[e.id,...m.map(g=>g.id)])try{h.push((await Q(Ce(p))).receipt)}catch(g){if(g.status===404)continue;throw t(!1),g}return h},f=h=>d(c.includes(h)?c.filter(p=>p!==h):[...c,h]);return l`<${K} title=${i("memory.forget_title")} label=${i("memory.forget_count",{n:1+s.derived+m.length})} act=${u} done=${r} close=${n}>
    <blockquote><p class="clipped">${e.memory}</p></blockquote>
    <ul class="counts">
      <li>${i("memory.forget_one")}</li>
      <li>${i("memory.forget_derived",{n:s.derived})}</li>
      ${s.repeats.length>0&&l`<li>${i("memory.forget_repeats",{n:s.repeats.length})}</li>`}
    </ul>
    ${s.repeats.map(h=>l`<label class="check"><input type="checkbox" checked=${!c.includes(h.id)} onChange=${()=>f(h.id)} /> <span>${h.memory}</span></label>`)}
    <p class="warning">${i("memory.forget_final")}</p>
  <//>`}var Qt=["q","kind","status","speaker","since","until"],us=78,Cr=250;function Dr(){let{rest:e,query:t}=J.value,n=Object.fromEntries(Qt.map(o=>[o,t.get(o)??""])),r=o=>Z(w(["memories"],{...n,...o}),{replace:!0}),s=e[0]??"";return l`<div class=${s?"split chosen":"split"}>
    <section class="split-list">
      <header class="page-head">
        <h1 tabindex="-1">${i("pane.memories")}</h1>
      </header>
      <${ms} filters=${n} change=${r} />
      <${ps} key=${JSON.stringify(n)} filters=${n} chosen=${s} />
    </section>
    <section class="split-one" aria-label=${i("memory.one")}>
      ${s?l`<${Mr} key=${s} id=${s} close=${w(["memories"],n)} />`:l`<${C} title=${i("memories.choose")} text=${i("memories.choose_text")} />`}
    </section>
  </div>`}function ms({filters:e,change:t}){let[n,r]=$(e.q),s=z(0),o=u=>{r(u),clearTimeout(s.current),s.current=setTimeout(()=>t({q:u.trim()}),Cr)};P(()=>()=>clearTimeout(s.current),[]);let a=["kind","status","speaker","since","until"].filter(u=>e[u]).length,[c,d]=$(a>0),m=()=>{r(""),t(Object.fromEntries(Qt.map(u=>[u,""])))};return l`<form class="filters" role="search" onSubmit=${u=>u.preventDefault()}>
    <div class="filter-line">
      <label class="unseen" for="search">${i("memories.search")}</label>
      <input id="search" type="search" value=${n} placeholder=${i("memories.search")} onInput=${u=>o(u.target.value)} />
      ${(a>0||e.q)&&l`<button type="button" class="button" onClick=${m}>${i("memories.clear")}</button>`}
    </div>
    <details open=${c} onToggle=${u=>d(u.currentTarget.open)}>
      <summary>${a?i("memories.filters_set",{n:a}):i("memories.filters")}</summary>
      <div class="filter-grid">
        <${Ar} name="kind" group="kind" values=${Zn} filters=${e} change=${t} />
        <${Ar} name="status" group="status" values=${Qn} first="active" filters=${e} change=${t} disabled=${!!e.q} />
        <label class="field"><span>${i("memories.speaker")}</span>
          <input value=${e.speaker} onChange=${u=>t({speaker:u.target.value.trim()})} /></label>
        <label class="field"><span>${i("memories.since")}</span>
          <input type="date" value=${e.since} onChange=${u=>t({since:u.target.value})} /></label>
        <label class="field"><span>${i("memories.until")}</span>
          <input type="date" value=${e.until} onChange=${u=>t({until:u.target.value})} /></label>
      </div>
    </details>
  </form>`}function Ar({name:e,group:t,values:n,first:r="",filters:s,change:o,disabled:a=!1}){return l`<label class="field"><span>${i(`memories.${e}`)}</span>
    <select value=${s[e]||r} disabled=${a} onChange=${c=>o({[e]:c.target.value===r?"":c.target.value})}>
      ${!r&&l`<option value="">${i("memories.any")}</option>`}
      ${n.map(c=>l`<option value=${c}>${x(t,c)}</option>`)}
    </select></label>`}function ps({filters:e,chosen:t}){let[n,r]=$(0),s=ge(()=>new bt(e),[n]),o=z(s);P(()=>(s.need(0,0),()=>s.close()),[s]),P(()=>{let m=0,u=ve(["memory."],()=>{clearTimeout(m),m=setTimeout(()=>r(f=>f+1),Cr)});return()=>{clearTimeout(m),u()}},[]),s.loaded.value&&(o.current=s);let a=o.current,c=a.version.value;if(s.error.value)return l`<${se} error=${s.error.value} retry=${()=>r(n+1)} />`;if(!a.loaded.value)return l`<${X} lines=${8} />`;if(a.total===0)return l`<${hs} filtered=${Qt.some(m=>e[m])} />`;let d=m=>l`<${fs} memory=${a.rows[m]} chosen=${t} filters=${e} />`;return l`<p class="count" role="status">${a.complete||!a.narrowed?i("memories.count",{n:a.total}):i("memories.count_more",{n:a.total-1})}</p>
    <${xr} total=${a.total} height=${us} row=${d} need=${(m,u)=>a.need(m,u)} label=${i("memories.list")} version=${c} />`}var hs=({filtered:e})=>e?l`<${C} title=${i("memories.none")} text=${i("memories.none_text")} />`:l`<${C} title=${i("memories.empty")} text=${i("memories.empty_text")} command="react-mem chat" />`;function fs({memory:e,chosen:t,filters:n}){return e?l`<a class="row" href=${w(["memories",e.id],n)} aria-current=${e.id===t?"true":void 0}>
    <span class="row-text">${e.memory}</span>
    <span class="meta">
      <${ee} kind=${e.kind} />
      ${e.status!=="active"&&l`<${de} status=${e.status} />`}
      ${e.until&&l`<span>${e.until}</span>`}
      ${e.speaker&&l`<span>${e.speaker}</span>`}
      <${T} at=${e.said_at||e.created_at} />
    </span>
  </a>`:l`<span class="row"><span class="skeleton"></span></span>`}var gs=["shown","cut","folded","dissimilar"],$s=["off","paper","calibrated"],_s={shown:"good",cut:"",folded:"warm",dissimilar:""};function Nr(){let{query:e}=J.value,t={q:e.get("q")??"",limit:e.get("limit")??"5",candidates:e.get("candidates")??"20",rerank:e.get("rerank")??""};return l`<${R} title=${i("pane.recall")} lead=${i("recall.lead")} wide>
    <${vs} key=${JSON.stringify(t)} asked=${t} />
    ${t.q?l`<${bs} key=${JSON.stringify(t)} asked=${t} />`:l`<${C} title=${i("recall.empty")} text=${i("recall.empty_text")} />`}
  <//>`}function vs({asked:e}){let[t,n]=$(e),r=o=>a=>n({...t,[o]:a.target.value});return l`<form class="card recall-form" onSubmit=${o=>{o.preventDefault(),t.q.trim()&&Z(w(["recall"],{...t,q:t.q.trim()}))}}>
    <label class="field grow"><span>${i("recall.question")}</span>
      <input type="search" required value=${t.q} onInput=${r("q")} /></label>
    <label class="field"><span>${i("recall.limit")}</span>
      <input type="number" min="1" max="100" value=${t.limit} onInput=${r("limit")} /></label>
    <label class="field"><span>${i("recall.candidates")}</span>
      <input type="number" min="1" max="200" value=${t.candidates} onInput=${r("candidates")} /></label>
    <label class="field"><span>${i("recall.rerank")}</span>
      <select value=${t.rerank} onChange=${r("rerank")}>
        <option value="">${i("recall.rerank_default")}</option>
        ${$s.map(o=>l`<option value=${o}>${x("rerank",o)}</option>`)}
      </select></label>
    <button type="submit" class="button primary">${i("recall.explain")}</button>
  </form>`}function bs({asked:e}){let t=u=>U("/v1/memories/explain",{query:e.q,limit:Number(e.limit),candidates:Number(e.candidates),rerank:e.rerank},{signal:u}),{data:n,error:r,again:s}=D(t,[e.q,e.limit,e.candidates,e.rerank],["memory.forgotten"]);if(r)return l`<${se} error=${r} retry=${s} />`;if(!n)return l`<${X} lines=${6} />`;let o=n.results.flatMap(u=>[u.score,u.retrieval_score]).filter(u=>u!==null),a=Math.max(.1,...o.map(Math.abs)),c=Math.max(.01,...n.results.flatMap(u=>ut(u.why).map(({value:f})=>Math.abs(f)))),d=Object.values(n.timings_ms).reduce((u,f)=>u+f,0),m=Object.fromEntries(n.results.map(u=>[u.id,u.memory]));return l`
    <p class="meta" role="status">
      <span>${i("recall.summary",{n:n.results.length})}</span>
      <span>${n.policy_version?i("recall.policy",{version:n.policy_version}):i("recall.no_policy")}</span>
      <span>${i("recall.took",{ms:Math.round(d)})}</span>
      ${n.unranked&&l`<span class="warning">${i("recall.unranked",{reason:n.unranked})}</span>`}
    </p>
    ${n.abstained&&l`<p class="warning">${i("recall.abstained")}</p>`}
    ${!n.results.length&&l`<${C} title=${i("recall.nothing")} text=${i("recall.nothing_text")} />`}
    ${gs.map(u=>{let f=n.results.filter(h=>h.state===u);return f.length>0&&l`<section class="candidates">
          <h2>${i(`recall.${u}`,{n:f.length})}</h2>
          <p class="lead">${i(`recall.${u}_text`)}</p>
          <ol>
            ${f.map(h=>l`<${ys} key=${h.id} candidate=${h} place=${n.results.indexOf(h)} span=${a} most=${c} texts=${m} />`)}
          </ol>
        </section>`})}
    ${n.rules.length>0&&l`<section class="candidates">
      <h2>${i("recall.rules",{n:n.rules.length})}</h2>
      <ul>
        ${n.rules.map(u=>l`<li class="card candidate-rule"><a href=${w(["memories",u.id])}>${u.memory}</a></li>`)}
      </ul>
    </section>`}
  `}function ys({candidate:e,place:t,span:n,most:r,texts:s}){let{state:o,rank_before:a,score:c,retrieval_score:d,probability:m}=e,u=o==="shown"||o==="cut"?t+1:null,f=u!==null&&a!==null&&a>=0?a+1-u:0;return l`<li class=${`card candidate ${o}`}>
    <div class="candidate-head">
      <span class="rank">${u??"–"}</span>
      <div class="candidate-text">
        <p class="clipped"><a href=${w(["memories",e.id])}>${e.memory}</a></p>
        <p class="meta">
          <${H} tone=${_s[o]}>${i(`recall.state_${o}`)}<//>
          <${ee} kind=${e.kind} />
          ${e.speaker&&l`<span>${e.speaker}</span>`}
          <${T} at=${e.said_at||e.created_at} />
          ${e.until&&l`<span>${e.until}</span>`}
          ${f!==0&&l`<span class=${f>0?"rose":"fell"}>${i(f>0?"recall.rose":"recall.fell",{n:Math.abs(f)})}</span>`}
        </p>
        ${o==="folded"&&l`<p class="meta">${e.folded_into?l`${i("recall.folded_into")} <a href=${w(["memories",e.folded_into])}>${s[e.folded_into]??e.folded_into}</a>`:i("recall.folded_repeat")}</p>`}
      </div>
      <dl class="scores">
        <${jr} name=${i("recall.before")} value=${d} span=${n} />
        <${jr} name=${i("recall.after")} value=${c} span=${n} strong />
        ${m!==null&&l`<div><dt>${i("recall.share")}</dt><dd>${Math.round(m*100)} %</dd></div>`}
      </dl>
    </div>
    ${e.why&&Object.keys(e.why).length>0&&l`<details open=${t===0||void 0}>
      <summary>${i("recall.why",{n:ut(e.why).length})}</summary>
      <${Ae} why=${e.why} most=${r} />
    </details>`}
  </li>`}function jr({name:e,value:t,span:n,strong:r=!1}){if(t==null)return null;let s=Math.min(1,Math.abs(t)/n)*50,o=t<0?{left:`${50-s}%`,width:`${s}%`}:{left:"50%",width:`${s}%`};return l`<div>
    <dt>${e}</dt>
    <dd><span class="bar-track" aria-hidden="true"><span class=${`bar${t<0?" minus":""}${r?"":" faint"}`} style=${o}></span></span>${V(t)}</dd>
  </div>`}var ws=500;function Or(){let[e,t]=$(null),[n,r]=$(null),s=D(c=>k("/v1/rules",{limit:ws},{signal:c}),[],["memory."]),o=D(c=>k("/v1/topics",{limit:20},{signal:c}),[],["memory."]),a=l`<button type="button" class="button primary" onClick=${()=>t({})}>${i("rules.add")}</button>`;return l`<${R} title=${i("pane.rules")} lead=${i("rules.lead")} actions=${a}>
    <${I} loaded=${s}>
      ${({results:c})=>l`
        ${!c.length&&l`<${C} title=${i("rules.empty")} text=${i("rules.empty_text")} />`}
        <ul class="entries">
          ${c.map(d=>l`<li key=${d.id} class="card entry">
              ${d.condition&&l`<p class="meta">${i("rules.when",{condition:d.condition})}</p>`}
              <p><strong>${d.action||d.memory}</strong></p>
              <p class="meta"><${T} at=${d.created_at} /> <a href=${w(["memories",d.id])}>${i("rules.history")}</a></p>
              <div class="actions">
                <button type="button" class="button" onClick=${()=>t(d)}>${i("action.edit")}</button>
                <button type="button" class="button quiet" onClick=${()=>r(d)}>${i("action.forget")}</button>
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    <section>
      <h2>${i("rules.topics")}</h2>
      <${I} loaded=${o}>
        ${({results:c})=>c.length?c.map(d=>l`<div key=${d.topic} class="card entry"><h3>${d.topic}</h3><p class="whole">${d.summary}</p><p class="meta"><${T} at=${d.updated_at} both /></p></div>`):l`<p class="quiet-line">${i("rules.no_topics")}</p>`}
      <//>
    </section>
    ${e&&l`<${ks} rule=${e} close=${()=>t(null)} done=${s.again} />`}
    ${n&&l`<${K}
      title=${i("rules.forget")}
      label=${i("action.forget")}
      act=${()=>Q(`/v1/memories/${encodeURIComponent(n.id)}`)}
      done=${()=>{s.again(),M(i("rules.forgotten"))}}
      close=${()=>r(null)}
    ><p>${i("rules.forget_text")}</p><p><strong>${n.memory}</strong></p><//>`}
  <//>`}function ks({rule:e,close:t,done:n}){let[r,s]=$(e.condition??""),[o,a]=$(e.action??""),[c,d]=$({busy:!1,error:""}),m=async u=>{u.preventDefault(),d({busy:!0,error:""});let f=r.trim()?`${r.trim()}: ${o.trim()}`:o.trim(),h={condition:r.trim(),action:o.trim()};try{await(e.id?lt(`/v1/memories/${encodeURIComponent(e.id)}`,{text:f,...h}):U("/v1/rules",h)),t(),n(),M(i("rules.saved"))}catch(p){d({busy:!1,error:p.message||i("state.unreachable")})}};return l`<${re} title=${i(e.id?"rules.edit":"rules.add")} close=${t}>
    <form onSubmit=${m}>
      <label class="field"><span>${i("rules.condition")}</span>
        <input value=${r} onInput=${u=>s(u.target.value)} required=${!!e.condition} /></label>
      <label class="field"><span>${i("rules.action")}</span>
        <textarea rows="3" required value=${o} onInput=${u=>a(u.target.value)}></textarea></label>
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${t}>${i("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${c.busy||!o.trim()}>${i("action.save")}</button>
      </div>
    </form>
  <//>`}var Xt="/v1/settings";function xs(e,t){return e.choices.length||e.type==="string"?t:e.type==="boolean"?t==="true":JSON.parse(t)}var Yt=(e,t)=>typeof t=="string"?t:JSON.stringify(t),Rr=(e,t)=>e.type==="boolean"?i(`settings.${t}`):t||i("settings.empty");function Lr(){let e=D(h=>k(Xt,{},{signal:h})),[t,n]=$({}),[r,s]=$(""),[o,a]=$(!1),c=async(h,p)=>{let g=_=>n(v=>({...v,[h.name]:_}));if(p===Yt(h,h.value)){n(({[h.name]:_,...v})=>v);return}let b;try{b=xs(h,p)}catch{g({text:p,error:i("settings.not_json")});return}g({text:p,value:b,error:""}),await at(Xt,{settings:{[h.name]:b},dry_run:!0}).catch(_=>{let v=_.message||i("state.unreachable");n(y=>y[h.name]?.text===p?{...y,[h.name]:{text:p,value:b,error:v}}:y)})},d=Object.keys(t).length,m=Object.values(t).some(h=>h.error),u=d>0&&l`
    <button type="button" class="button" onClick=${()=>n({})}>${i("settings.discard")}</button>
    <button type="button" class="button primary" disabled=${m} onClick=${()=>a(!0)}>${i("settings.save",{n:d})}</button>
  `,f=()=>{n({}),e.again(),M(i("settings.saved"))};return l`<${R} title=${i("pane.settings")} lead=${i("settings.lead")} actions=${u}>
    <label class="field narrow"><span>${i("settings.filter")}</span>
      <input type="search" value=${r} onInput=${h=>s(h.target.value)} /></label>
    <${I} loaded=${e}>
      ${({results:h})=>{let p=h.filter(g=>`${g.name} ${g.meaning}`.toLowerCase().includes(r.trim().toLowerCase()));return l`${!p.length&&l`<p class="quiet-line">${i("settings.none")}</p>`}
          <ul class="entries">${p.map(g=>l`<${Ss} key=${g.name} setting=${g} change=${t[g.name]} edit=${c} />`)}</ul>`}}
    <//>
    ${o&&l`<${Es} changes=${t} done=${f} close=${()=>a(!1)} />`}
  <//>`}function Ss({setting:e,change:t,edit:n}){let r=`setting-${e.name}`,s=t?.text??Yt(e,e.value),o=e.choices.length?e.choices:e.type==="boolean"?["true","false"]:[],a={id:r,value:s,"aria-describedby":`${r}-meaning`,"aria-invalid":t?.error?"true":void 0};return l`<li class="card entry setting">
    <label for=${r}><code>${e.name}</code></label>
    ${o.length?l`<select ...${a} onChange=${c=>n(e,c.target.value)}>
          ${o.map(c=>l`<option value=${c}>${Rr(e,c)}</option>`)}
        </select>`:l`<input ...${a} inputmode=${["integer","number"].includes(e.type)?"decimal":void 0} onInput=${c=>n(e,c.target.value)} />`}
    <p id=${`${r}-meaning`} class="quiet-line">
      ${e.meaning} ${i("settings.default",{value:Rr(e,Yt(e,e.default))})}${" "}
      ${e.minimum!==null&&e.maximum!==null&&i("settings.range",{low:e.minimum,high:e.maximum})}${" "}
      ${e.is_set&&l`<strong>${i("settings.set")}</strong>`}
    </p>
    ${t?.error&&l`<p class="error" role="alert">${t.error}</p>`}
  </li>`}function Es({changes:e,done:t,close:n}){let[r,s]=$(""),[o,a]=$({busy:!1,error:""}),c=async d=>{d.preventDefault(),a({busy:!0,error:""});let m=await Ts(r.trim(),Object.fromEntries(Object.entries(e).map(([u,f])=>[u,f.value])));m===null?(n(),t()):a({busy:!1,error:m||i("state.unreachable")})};return l`<${re} title=${i("settings.save",{n:Object.keys(e).length})} close=${n}>
    <form onSubmit=${c}>
      <p>${i("settings.for_all")}</p>
      <ul>${Object.entries(e).map(([d,m])=>l`<li><code>${d}</code> = ${m.text}</li>`)}</ul>
      <label class="field"><span>${i("settings.key")}</span>
        <input type="password" autocomplete="off" value=${r} onInput=${d=>s(d.target.value)} required /></label>
      <p class="quiet-line">${i("settings.key_text")} <code>react-mem keys create --kind admin</code></p>
      ${o.error&&l`<p class="error" role="alert">${o.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${n}>${i("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${o.busy}>${i("action.save")}</button>
      </div>
    </form>
  <//>`}async function Ts(e,t){let n={"Content-Type":"application/json",Authorization:`Bearer ${e}`},r=await fetch(Xt,{method:"PUT",headers:n,body:JSON.stringify({settings:t})}).catch(()=>null);return r?.ok?null:(await r?.json().catch(()=>null))?.detail??""}var yt=[{id:"ask",component:cr},{id:"memories",component:Dr},{id:"recall",component:Nr},{id:"conversations",component:ur},{id:"rules",component:Or},{id:"jobs",component:_r},{id:"learning",component:wr},{id:"erasures",component:fr},{id:"settings",component:Lr},{id:"health",component:gr}];function qr(){let[e,t]=$(""),[n,r]=$(!1),s=async o=>{o.preventDefault(),r(!0),await Ft(e.trim()),r(!1)};return l`<main class="centre">
    <div class="card sign-in">
      <img src="/ui/icon.svg" width="48" height="48" alt="" />
      <h1>${i("sign_in.title")}</h1>
      <p>${i("sign_in.command")}</p>
      <p><code>react-mem ui</code></p>
      <form onSubmit=${s}>
        <label class="field">
          <span>${i("sign_in.key")}</span>
          <input
            type="password"
            autocomplete="off"
            value=${e}
            aria-describedby="refusal"
            onInput=${o=>t(o.target.value)}
          />
        </label>
        <p id="refusal" class="error" role="alert">${zt.value}</p>
        <button type="submit" class="button primary" disabled=${n||!e.trim()}>${i("sign_in.submit")}</button>
      </form>
    </div>
  </main>`}var en=["system","light","dark"],Ir="react-mem-theme",Wr=localStorage.getItem(Ir),wt=E(en.includes(Wr)?Wr:"system");function Pr(e){localStorage.setItem(Ir,e),wt.value=e}F(()=>{document.documentElement.dataset.theme=wt.value});F(()=>{document.documentElement.lang=G.value});function Fr(){return O.value===void 0?l`<main class="centre"><${X} lines=${3} /></main>`:O.value===null?l`<${qr} />`:l`<${Ms} />`}function Ms(){let[e,t]=$(!1),{pane:n}=J.value,r=yt.find(a=>a.id===(n||yt[0].id)),s=z(null),o=z(!0);return P(()=>{document.title=`${r?i(`pane.${r.id}`):i("state.no_page")} · react-mem`},[r,G.value]),P(()=>{t(!1),o.current?o.current=!1:s.current?.querySelector("h1")?.focus({preventScroll:!0}),s.current?.scrollTo(0,0)},[r]),l`<div class="shell">
    <a class="skip" href="#content" onClick=${a=>{a.preventDefault(),s.current?.focus()}}>${i("shell.skip")}</a>
    <header class="topbar">
      <button type="button" class="button quiet" aria-expanded=${e} aria-controls="nav" onClick=${()=>t(!e)}>
        <${oe} name="menu" /><span>${i("shell.menu")}</span>
      </button>
      <${zr} />
    </header>
    <div class=${e?"side open":"side"} id="nav">
      <${zr} />
      <nav aria-label=${i("shell.panes")}>
        <ul>
          ${yt.map(a=>l`<li>
              <a href=${w([a.id])} aria-current=${a===r?"page":void 0} onClick=${()=>t(!1)}>
                <${oe} name=${a.id} />${i(`pane.${a.id}`)}
              </a>
            </li>`)}
        </ul>
      </nav>
      <${Cs} />
    </div>
    <main id="content" tabindex="-1" ref=${s}>
      <${As} />
      ${r?l`<${r.component} key=${r.id} />`:l`<${R} title=${i("state.no_page")}><${C} title=${i("state.no_page_text")} /><//>`}
    </main>
    <${Yn} />
  </div>`}var zr=()=>l`<a class="brand" href=${w([])}><img src="/ui/icon.svg" width="28" height="28" alt="" />react-mem</a>`;function As(){return _e.value!=="lost"?null:l`<p class="banner" role="status">${i("state.connection_lost")}</p>`}function Cs(){let{user:e,collections:t}=O.value;return l`<div class="foot">
    <p class="who"><span class="avatar" aria-hidden="true">${e.slice(0,1).toUpperCase()}</span
      ><span><strong>${e}</strong><br />${t.join(", ")||i("shell.all_collections")}</span></p>
    <div class="choices">
      <label><span class="unseen">${i("shell.language")}</span>
        <select value=${G.value} onChange=${n=>Jn(n.target.value)}>
          ${Object.entries(dt).map(([n,r])=>l`<option value=${n}>${r}</option>`)}
        </select></label>
      <label><span class="unseen">${i("shell.theme")}</span>
        <select value=${wt.value} onChange=${n=>Pr(n.target.value)}>
          ${en.map(n=>l`<option value=${n}>${i(`theme.${n}`)}</option>`)}
        </select></label>
    </div>
    <button type="button" class="button quiet" onClick=${Gn}>${i("shell.sign_out")}</button>
  </div>`}fn(l`<${Fr} />`,document.getElementById("app"));Fn();
