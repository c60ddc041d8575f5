/** The Portuguese table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const portuguese: Language = {
  headings: {
    animal: 'animal, animais, pet, pets, bicho, cão, cao, gato',
    name: 'nome, nomes',
    species: 'espécie, especies, categoria, tipo de animal, tipo animal, tipo do animal, tipo de pet',
    type: 'tipo',
    status:
      'situação, estado, status, disponibilidade, situação de adoção, status de adoção, status adoção, situação atual, estado de adoção',
    outcome: 'saída, tipo de saída, motivo da saída, destino, desfecho',
    number:
      'id, nº, n°, no, num, número, código, cod, referência, ref, identificação, registro, registo, prontuário, ficha, rg',
    chip: 'chip, microchip, nº do chip, número do chip, nº chip, nº do microchip, nº de microchip',
    came: 'entrada, chegada, resgate, data de entrada, acolhimento, ingresso, admissão',
    date: 'data, dia, desde, em',
    small: 'atual, de, do, da, o, a, os, as, último, adoção',
    past: 'anterior, procedência, origem, motivo da entrada, forma de entrada, tipo de entrada',
    unit: 'baia, canil, gaiola, fatura, box',
    place: 'local, localização, saúde',
    breed: 'raça',
    other:
      'dono, proprietário, tutor, tutora, adotante, responsável, contato, contacto, sobrenome, telefone, endereço, morada, cidade, bairro, sexo, gênero, cor, pelagem, pelo, porte, tamanho, peso, idade, nascimento, nascido, descrição, observações, observação, obs, notas, foto, fotos, imagem, motivo, castrado, castrada, esterilizado, vacinado, vacinada, vacinas, vermifugado, taxa, preço, temperamento, veterinário, lar',
  },
  statuses: {
    available:
      'disponível, disponível para adoção, para adoção, em adoção, para adotar, adotável, procura lar, procurando lar, à procura de família, à procura de lar, aguardando adoção, aguarda adoção, livre, pronto para adoção, apto para adoção, apto à adoção, apto a adoção, busca lar',
    pending:
      'em processo de adoção, em processo, reservado, reservada, reserva, pendente, adoção pendente, em andamento, em análise, adoção em andamento, pré-adotado, pré-adoção, pré adotado, em período de teste, em teste, em adaptação, adaptação, aguardando retirada, candidato, solicitado',
    foster:
      'lar temporário, em lar temporário, lt, família de acolhimento, em fat, fat, acolhimento temporário, família de acolhimento temporário',
    sold: 'adotado, adotada, adotad*, adoptado, adoptada, adoção, doado, doada, vendido, vendida, adoção concluída, adoção finalizada, ganhou um lar',
    gone: 'falecido, falecida, falec*, óbito, óbitos, morto, morta, morte, morreu, eutanasiado, eutanasiada, eutanásia, devolvido ao tutor, devolvido ao dono, devolvida ao tutor, devolvido ao proprietário, devolvido*, devolvida*, devolução ao tutor, restituído, restituída, resgatado pelo tutor, retirado pelo dono, entregue ao dono, entregue ao tutor, transferido, transferida, fugiu, fugido, fugida, fuga, desaparecido, desaparecida, roubado, roubada, solto, soltura, ced, liberado, outra ong, saída, baixa, óbito natural, falecimento',
    moved: 'transferência, perdido, perdida',
    came: 'resgatado, resgatada, resgate, encontrado, encontrada, abandono, abandonado, abandonada, apreendido, apreensão, recolhido, recolhida, nascido, entrega voluntária, doação, desconhecido, outro',
    withheld: 'quarentena, em quarentena, não disponível, indisponível, não adotável',
    none: 'não está disponível, não apto, inapto, em observação, observação, em tratamento, tratamento, doente, internado, internada, na clínica, em recuperação, recuperação, veterinário, recém-chegado, novo, nova, no abrigo, abrigado, abrigada, em abrigo, no canil, em avaliação, avaliação, aguardando*, residente, santuário, em breve, muito novo, filhote demais, inativo, analisando*, analisando situação, aguardando prótese, aguardando castração',
    not: 'não, nao, ainda não, sem',
  },
  yes: 'sim, s, verdadeiro',
  no: 'não, nao, falso',
  total: 'total, totais, soma, impresso, página',
  months:
    'janeiro, fevereiro fev, março, abril, maio mai, junho, julho, agosto, setembro, outubro out, novembro, dezembro dez',
}
