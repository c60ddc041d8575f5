/** The Korean table; language.ts explains its entries. The headings are those of the national interface. */
import type { Language } from './language.ts'

export const korean: Language = {
  page: 'euc-kr',
  headings: {
    animal: '동물, 유기동물, desertion',
    name: '이름, 동물명',
    species: '축종, 동물종류, 종류',
    type: '유형',
    status: '상태, 보호상태, 처리상태, 입양상태',
    outcome: '종료, 결과, 처리결과',
    number: '번호, 관리번호, 유기번호, 등록번호, 접수번호',
    chip: '칩번호, 마이크로칩',
    came: '구조, 접수, 입소, happen, 발견',
    date: '날짜, 일자, 일시, 입소일, 접수일, 구조일, 발견일, dt',
    small: '현재',
    past: '구조사유, 입소사유',
    unit: '공고, 공고번호, 케이지, notice',
    place: '보호장소, 장소, 위치',
    breed: '품종',
    other: '성별, 나이, 색상, 체중, 특징, 보호센터, 담당자, 연락처, 주소, 중성화, 사진, 비고',
  },
  statuses: {
    available: '보호중, 보호 중, 입양가능, 입양 가능, 입양대기, 분양가능',
    pending: '입양예정, 입양 예정, 입양진행중, 입양상담중, 예약',
    foster: '임시보호, 임보중, 임보',
    sold: '입양, 입양완료, 분양완료, 분양',
    moved: '이관, 인계',
    gone: '안락사, 자연사, 폐사, 사망, 반환, 방사, 기증, 소유자반환, 주인반환, 포획 후 방사',
    came: '구조, 유기, 발견, 신고, 포획, 기타, 미상',
    withheld: '입양불가, 격리',
    none: '공고중, 공고 중, 치료중, 치료 중, 종료',
    not: '불가',
  },
  yes: '예, 네, 있음',
  no: '아니오, 없음',
  total: '합계, 총계, 계',
}
